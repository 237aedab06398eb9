import type { CheckContext } from './check-context.ts';
import { NotRun, Violation } from './violation.ts';

/** One rule of the checkout API and the test of it. */
export interface Check {
  readonly id: string;
  /** The part of docs/checkout-api.md that it proves. */
  readonly clause: string;
  /** The rule in the present tense; the subject is the backend. */
  readonly rule: string;
  /** How to fix a violation. */
  readonly fix: string;
  /** Throws a `Violation` or `NotRun`. */
  run(context: CheckContext): Promise<void> | void;
}

/** The checkout that a group's checks use: none, the run's first one, a fresh one, or one whose amount the payer types. */
export type CheckoutKind = 'none' | 'first' | 'fresh' | 'typed';

/** Checks that run in order on one checkout. */
export interface Group {
  readonly title: string;
  readonly checkout: CheckoutKind;
  /** Whether it needs the sandbox's control API. */
  readonly sandbox?: boolean;
  readonly checks: readonly Check[];
}

/**
 * A step that several checks of a group need; it runs once for each context. When it finds a violation, the first check
 * reports it and the others are not run.
 */
export function sharedStep<T>(
  what: string,
  make: (context: CheckContext) => Promise<T>,
): (context: CheckContext) => Promise<T> {
  const made = new WeakMap<CheckContext, Promise<T>>();
  return (context) => {
    const before = made.get(context);
    if (before === undefined) {
      const promise = make(context);
      made.set(context, promise);
      return promise;
    }
    return before.catch((error: unknown) => {
      throw error instanceof Violation ? new NotRun(`it builds on ${what}: see the violation above`) : error;
    });
  };
}
