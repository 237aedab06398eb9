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

/** Writes each line to standard error as JSON. */
export const standardErrorLog: Log = (level, event, facts) => {
  process.stderr.write(
    `${JSON.stringify({ time: new Date(systemClock.now()).toISOString(), level, event, ...facts })}\n`,
  );
};

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

const textOf = (value: unknown): string => (typeof value === 'string' ? value : typeof value);

/** How many causes of an error are logged. */
const maxCauses = 5;

/**
 * The log fields of an error that the shop's own code has thrown: all that its developer needs, with the causes. Use it only
 * for such errors, because the message may contain data.
 */
export function shopErrorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error, message: textOf(error) };
  const causes: string[] = [];
  for (let cause = error.cause; cause !== undefined && causes.length < maxCauses;) {
    causes.push(cause instanceof Error ? (cause.stack ?? cause.message) : textOf(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return {
    error: error.name,
    message: error.message,
    stack: error.stack,
    ...(causes.length === 0 ? {} : { cause: causes.join('\n') }),
  };
}
