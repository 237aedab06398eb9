import { withTimeout, systemClock } from '../../base/clock.ts';
import { readBody } from '../../base/read-limited-body.ts';
import { describeFailure } from '../outcome-webhook.ts';

/** The result of a check, printed as one line. `text` contains the advice when `level` is not `ok`, and never a secret. */
export interface CheckResult {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly subject: string;
  readonly text: string;
}

/** The effects of the checks. */
export interface CheckPorts {
  readonly fetch: typeof globalThis.fetch;
  /** The time in milliseconds since 1970. */
  readonly now: () => number;
}

/** A response, or the reason why there is none (`failure`): `timeout`, or a code such as ECONNREFUSED. */
export type RequestResult =
  | { readonly failure: string }
  | {
      readonly failure?: undefined;
      readonly status: number;
      readonly headers: Headers;
      readonly text: string;
      /** The midpoint between the request and its response, in milliseconds since 1970. */
      readonly receivedAt: number;
    };

const requestTimeoutMs = 10_000;
const maxBodyBytes = 4 * 1024 * 1024;

/** Sends one request without following redirects, and reads the response. */
export async function sendRequest(
  url: string,
  init: RequestInit,
  { fetch: fetchFunction, now }: CheckPorts,
): Promise<RequestResult> {
  const timeout = new AbortController();
  try {
    return await withTimeout(systemClock, requestTimeoutMs, async (signal) => {
      signal.addEventListener('abort', () => timeout.abort(), { once: true });
      const sentAt = now();
      const response = await fetchFunction(url, { ...init, redirect: 'manual', signal });
      const receivedAt = (sentAt + now()) / 2;
      const text = await readBody(response, maxBodyBytes, signal);
      return { status: response.status, headers: response.headers, text, receivedAt };
    });
  } catch (error) {
    return { failure: describeFailure(error, timeout.signal) };
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
