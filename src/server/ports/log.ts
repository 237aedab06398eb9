import { createHash } from 'node:crypto';
import { StoreUnavailableError } from './checkout-store.ts';
import { InvoiceServiceError } from './invoice-service.ts';

export type LogLevel = 'info' | 'warn' | 'error';

/** What a line says besides its event. No requisites, names, capabilities, secrets or tokens are ever in it. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Where the server's log goes: one call a line. */
export type Log = (level: LogLevel, event: string, facts: LogFields) => void;

/** Lines of JSON to standard error, without those of level `info`. */
export const standardErrorLog: Log = (level, event, facts) => {
  if (level === 'info') return;
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...facts })}\n`);
};

/** A name for a capability by which lines of a log can be brought together, and which opens nothing. */
export function checkoutLogId(checkoutId: string): string {
  return createHash('sha256').update(checkoutId).digest('base64url').slice(0, 10);
}

/** What a log may say about an error. Messages of strangers are left out: databases put values of rows into them. */
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

/** A log that cannot break what it tells of. */
export function safeLog(log: Log): Log {
  return (level, event, facts) => {
    try {
      log(level, event, facts);
    } catch {
      // a log that fails has nowhere to say so
    }
  };
}
