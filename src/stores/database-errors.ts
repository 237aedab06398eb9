import { toError } from '../base/thrown-value.ts';

/** The tables lack steps that `migrate: true` would run. */
export class MissingStepsError extends Error {
  override readonly name = 'MissingStepsError';
  readonly code: 'tables_missing' | 'tables_older';

  constructor(code: 'tables_missing' | 'tables_older', message: string) {
    super(message);
    this.code = code;
  }
}

/** Thrown when the database cannot be opened. The message gives the reason in one line. The program should not start. */
export class DatabaseOpenError extends Error {
  override readonly name = 'DatabaseOpenError';
  /** `tables_missing` and `tables_older`: opening it with `migrate: true` creates or changes them, and this user may do that. */
  readonly code: 'database_not_opened' | 'tables_missing' | 'tables_older';
  readonly path = 'store';

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, options);
    const cause = toError(options.cause); // the application's own pool may throw any value
    this.code = cause instanceof MissingStepsError ? cause.code : 'database_not_opened';
  }
}

/** Thrown when a call inside a transaction of the SQLite file would wait for the end of that transaction. */
export class TransactionRequiredError extends Error {
  override readonly name = 'TransactionRequiredError';
  readonly code = 'transaction_required';
  readonly path = 'transaction';

  constructor() {
    super('this call would wait for the transaction in which it is made: pass { transaction } to it');
  }
}
