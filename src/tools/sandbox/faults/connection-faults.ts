import { abortReason, sleep, type Clock } from '../../../base/clock.ts';

/**
 * How a response is delivered:
 * - `whole`: regularly;
 * - `drop`: not at all, because the connection is dropped;
 * - `cut`: only half of its body, then the connection is dropped;
 * - `stall`: with a pause of `ms` before the headers or in the body; the pause never ends when `ms` is undefined.
 */
export type ConnectionFault =
  | { readonly kind: 'whole' }
  | { readonly kind: 'drop' }
  | { readonly kind: 'cut' }
  | { readonly kind: 'stall'; readonly at: 'headers' | 'body'; readonly ms: number | undefined };

/** A response and how to deliver it. */
export interface Reply {
  readonly response: Response;
  readonly connection: ConnectionFault;
}

/** Handles a request. The reply contains the response and how to deliver it. */
export type HandleRequest = (request: Request) => Promise<Reply>;

/** Creates a reply without a connection fault. */
export function createWholeReply(response: Response): Reply {
  return { response, connection: { kind: 'whole' } };
}

/** Waits for `ms`, for ever when it is undefined; rejects when the signal is aborted. */
export function stall(clock: Clock, ms: number | undefined, signal: AbortSignal): Promise<void> {
  if (ms !== undefined) return sleep(clock, ms, signal);
  return new Promise((_, reject) => {
    if (signal.aborted) reject(abortReason(signal));
    signal.addEventListener('abort', () => reject(abortReason(signal)), { once: true });
  });
}

/**
 * Delivers a reply within the process, with the errors of `fetch`. A dropped connection rejects with a TypeError. A cut
 * connection makes the body fail after its first half. A stalled connection makes the promise or the body wait for `ms`, or
 * until one of the signals is aborted.
 */
export async function sendInProcess(
  { response, connection }: Reply,
  clock: Clock,
  signals: AbortSignal[],
): Promise<Response> {
  switch (connection.kind) {
    case 'whole':
      return response;
    case 'drop':
      throw new TypeError('fetch failed', { cause: connectionReset() });
    case 'cut':
      return splitBody(response, () => Promise.reject(new TypeError('terminated', { cause: connectionReset() })));
    case 'stall':
      if (connection.at === 'body')
        return splitBody(response, () => stall(clock, connection.ms, AbortSignal.any(signals)));
      await stall(clock, connection.ms, AbortSignal.any(signals));
      return response;
  }
}

/** Reads a body and returns its two halves. */
export async function halveBody(response: Response): Promise<readonly [Uint8Array, Uint8Array]> {
  const body = new Uint8Array(await response.arrayBuffer());
  const middle = Math.floor(body.byteLength / 2);
  return [body.subarray(0, middle), body.subarray(middle)];
}

/** Returns the response with a body that calls `runBetween` between its two halves. */
async function splitBody(response: Response, runBetween: () => Promise<void>): Promise<Response> {
  const [firstHalf, secondHalf] = await halveBody(response);
  const halves = [firstHalf, secondHalf];
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (halves.length === 1) await runBetween();
        const half = halves.shift();
        if (half === undefined) controller.close();
        else controller.enqueue(half);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status: response.status, headers: response.headers });
}

function connectionReset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
}
