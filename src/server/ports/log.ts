import { createHash } from 'node:crypto';
import { systemClock } from '../../base/clock.ts';
import { StoreUnavailableError } from './checkout-store.ts';
import { InvoiceServiceError } from './invoice-service.ts';

export type LogLevel = 'info' | 'warn' | 'error';

/**
 * The members of a log line besides its level and event. They contain no requisites, names, capabilities, secrets or tokens.
 */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Receives the log of the server: one call for each line. */
export type Log = (level: LogLevel, event: string, facts: LogFields) => void;

/** Writes warnings and errors to standard error as lines of JSON. */
export const standardErrorLog: Log = (level, event, facts) => {
  if (level === 'info') return;
  process.stderr.write(
    `${JSON.stringify({ time: new Date(systemClock.now()).toISOString(), level, event, ...facts })}\n`,
  );
};

/** The identifier of a checkout in the log. It is the same in each line; the capability cannot be computed from it. */
export function checkoutLogId(checkoutId: string): string {
  return createHash('sha256').update(checkoutId).digest('base64url').slice(0, 10);
}

/**
 * The log fields of an error. Messages of unknown errors are omitted, because they may contain data, such as values of rows.
 */
export function errorFields(error: unknown): LogFields {
  if (error instanceof InvoiceServiceError) {
    const { message, failure, code, httpStatus } = error;
    return { error: message, failure, code, http_status: httpStatus };
  }
  if (error instanceof StoreUnavailableError) return { error: error.name, reason: error.reason };
  if (!(error instanceof Error)) return { error: typeof error };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    error: error.name,
    at: frames
      .slice(0, 6)
      .map((line) => line.trim())
      .join(' < '),
  };
}

/** Wraps a log so that it never throws. */
export function safeLog(log: Log): Log {
  return (level, event, facts) => {
    try {
      log(level, event, facts);
    } catch {
      // an error of the log itself cannot be logged
    }
  };
}
