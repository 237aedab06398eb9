/** A backend breaks a rule of the checkout API. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly expected: string;
  readonly got: string;

  constructor(expected: string, got: string) {
    super(`expected ${expected}; got ${got}`);
    this.expected = expected;
    this.got = got;
  }
}

/** A check could not run because something that it needs is missing: this says nothing about the backend. */
export class NotRun extends Error {
  override readonly name = 'NotRun';
}

/** Throws a `Violation` unless the condition holds. */
export function expect(condition: boolean, expected: string, got: string): asserts condition {
  if (!condition) throw new Violation(expected, got);
}
