import { withTimeout, systemClock } from '../../base/clock.ts';
import { readBody } from '../../base/read-limited-body.ts';
import { failureOf } from '../outcome-webhook.ts';

/** The result of a check, printed as one line. `text` contains the advice when `level` is not `ok`, and never a secret. */
export interface CheckResult {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly subject: string;
  readonly text: string;
}

/** What the checks use from outside. */
export interface CheckPorts {
  readonly fetch: typeof globalThis.fetch;
  /** The time in milliseconds since 1970. */
  readonly now: () => number;
}

/** An answer, or why there is none: `timeout`, or a code such as ECONNREFUSED. */
export type Answer =
  | { readonly failure: string }
  | {
      readonly failure?: undefined;
      readonly status: number;
      readonly headers: Headers;
      readonly text: string;
      /** The midpoint between the request and its response, in milliseconds since 1970. */
      readonly at: number;
    };

const requestMs = 10_000;
const maxBodyBytes = 4 * 1024 * 1024;

/** Sends one request without following redirects, and reads the answer. */
export async function request(url: string, init: RequestInit, { fetch: send, now }: CheckPorts): Promise<Answer> {
  const timeout = new AbortController();
  try {
    return await withTimeout(systemClock, requestMs, async (signal) => {
      signal.addEventListener('abort', () => timeout.abort(), { once: true });
      const sentAt = now();
      const response = await send(url, { ...init, redirect: 'manual', signal });
      const at = (sentAt + now()) / 2;
      const text = await readBody(response, maxBodyBytes, signal);
      return { status: response.status, headers: response.headers, text, at };
    });
  } catch (error) {
    return { failure: failureOf(error, timeout.signal) };
  }
}

/** Parses a text as JSON; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
