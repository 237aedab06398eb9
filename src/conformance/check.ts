import type { Stage } from './check-context.ts';

/** Something that a backend does and the checkout API does not allow. */
export class Finding extends Error {
  override readonly name = 'Finding';
  readonly expected: string;
  readonly got: string;

  constructor(expected: string, got: string) {
    super(`expected ${expected}; got ${got}`);
    this.expected = expected;
    this.got = got;
  }
}

/** What a check needs is not there: it neither passed nor found anything. */
export class NotRun extends Error {
  override readonly name = 'NotRun';
}

/** One rule of the checkout API, and how to see whether a backend keeps it. */
export interface Check {
  readonly id: string;
  /** The part of docs/checkout-api.md that it proves. */
  readonly clause: string;
  /** The rule in the present tense; the subject is the backend. */
  readonly rule: string;
  /** What to do about a finding. */
  readonly mend: string;
  /** Throws a `Finding` or `NotRun`. */
  run(stage: Stage): Promise<void> | void;
}

/** What a group's checks are made on: no checkout, the run's first one, one of their own, or one with a typed amount. */
export type CheckoutKind = 'none' | 'first' | 'fresh' | 'typed';

/** Checks that follow one checkout in their order. */
export interface Group {
  readonly title: string;
  readonly checkout: CheckoutKind;
  /** Whether it needs the sandbox's control API. */
  readonly sandbox?: boolean;
  readonly checks: readonly Check[];
}

/** Holds when the condition does; a finding otherwise. */
export function expect(condition: boolean, expected: string, got: string): asserts condition {
  if (!condition) throw new Finding(expected, got);
}

/**
 * Something that several checks of a group build on, made once for each stage. Who asks first hears of a finding, the
 * others that they could not run.
 */
export function fact<T>(what: string, make: (stage: Stage) => Promise<T>): (stage: Stage) => Promise<T> {
  const made = new WeakMap<Stage, Promise<T>>();
  return (stage) => {
    const before = made.get(stage);
    if (before === undefined) {
      const promise = make(stage);
      made.set(stage, promise);
      return promise;
    }
    return before.catch((error: unknown) => {
      throw error instanceof Finding ? new NotRun(`it builds on ${what}: see the finding above`) : error;
    });
  };
}
