import { activeTraceId } from '../../base/active-trace.ts';
import { systemClock } from '../../base/clock.ts';
import { printable } from '../../base/printable.ts';
import { isReadableError, toError } from '../../base/thrown-value.ts';
import { StoreUnavailableError } from './checkout-store.ts';
import { InvoiceServiceError } from './invoice-service.ts';

export type LogLevel = 'info' | 'warn' | 'error';

/**
 * The members of a log line besides its level and event. They contain no requisites, names, capabilities, secrets or tokens.
 */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Receives the log of the server: one call for each line. */
export type Log = (level: LogLevel, event: string, facts: LogFields) => void;

/** Writes each line to standard error as JSON, with `trace_id` where an OpenTelemetry trace is active. */
export const standardErrorLog: Log = (level, event, facts) => {
  const time = new Date(systemClock.now()).toISOString();
  const line = { time, level, event, trace_id: activeTraceId(), ...facts };
  process.stderr.write(`${printable(JSON.stringify(line))}\n`);
};

/**
 * The log fields of an error. Messages of unknown errors are omitted, because they may contain data, such as values of rows.
 */
export function errorFields(thrown: unknown): LogFields {
  const error = toError(thrown);
  if (error instanceof InvoiceServiceError) {
    const { message, failure, code, httpStatus } = error;
    return { error: message, failure, code, http_status: httpStatus };
  }
  if (error instanceof StoreUnavailableError) return { error: error.name, reason: error.reason };
  if (!isReadableError(thrown)) return { error: error.name };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    error: error.name,
    at: frames
      .slice(0, 6)
      .map((line) => line.trim())
      .join(' < '),
  };
}

/** How many causes of an error are logged. */
const maxCauses = 5;
/** The longest text of an error in a line of the log, in characters. */
const maxTextLength = 10_000;

/**
 * The log fields of an error that the shop's own code has thrown: all that its developer needs, with the causes. Use it only
 * for such errors, because the message may contain data.
 */
export function shopErrorFields(thrown: unknown): LogFields {
  const { name, message, stack, cause } = toError(thrown);
  const causes: string[] = [];
  for (let inner = cause; inner !== undefined && causes.length < maxCauses;) {
    const error = toError(inner);
    causes.push(error.stack ?? error.message);
    inner = error.cause;
  }
  return {
    error: name,
    message: message.slice(0, maxTextLength),
    ...(stack === undefined ? {} : { stack: stack.slice(0, maxTextLength) }),
    ...(causes.length === 0 ? {} : { cause: causes.join('\n').slice(0, maxTextLength) }),
  };
}
