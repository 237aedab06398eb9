import { describeExchange, type Exchange } from './backend-client.ts';

/** A backend breaks a rule of the checkout API. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly expected: string;
  readonly got: string;
  /** The exchange that broke the rule; when undefined, it is the last exchange of the check. */
  readonly exchange: Exchange | undefined;

  /** `got` is a text, or the response itself. */
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

/** Throws a `Violation` unless the condition holds. `exchange` is the exchange that breaks the rule, when `got` is a text. */
export function expect(
  condition: boolean,
  expected: string,
  got: string | Exchange,
  exchange?: Exchange,
): asserts condition {
  if (!condition) throw new Violation(expected, got, exchange);
}
