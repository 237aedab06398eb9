import { describeExchange, type Exchange } from './backend-client.ts';

/** A backend breaks a rule of the checkout API. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly expected: string;
  readonly got: string;
  /** The exchange that broke the rule; undefined: the last one that the check made. */
  readonly exchange: Exchange | undefined;

  /** `got` is a text, or the answer itself. */
  constructor(expected: string, got: string | Exchange, exchange?: Exchange) {
    const text = typeof got === 'string' ? got : describeExchange(got);
    super(`expected ${expected}; got ${text}`);
    this.expected = expected;
    this.got = text;
    this.exchange = typeof got === 'string' ? exchange : got;
  }
}

/** A check could not run because something that it needs is missing. This is no statement about the backend. */
export class NotRun extends Error {
  override readonly name = 'NotRun';
}

/** Throws a `Violation` unless the condition holds. Where `got` is a text, `exchange` is the one that breaks the rule. */
export function expect(
  condition: boolean,
  expected: string,
  got: string | Exchange,
  exchange?: Exchange,
): asserts condition {
  if (!condition) throw new Violation(expected, got, exchange);
}
