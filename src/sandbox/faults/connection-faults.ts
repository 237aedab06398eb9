import { abortReason, sleep, type Clock } from '../../base/clock.ts';

/**
 * How a response is delivered: whole; not at all, because the connection is dropped; cut after half of its body; or stalled
 * before its headers or in its body (for ever when `ms` is undefined).
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

/** A response without a connection fault. */
export function intact(response: Response): Reply {
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
 * Delivers within the process as `fetch` does. A dropped connection rejects with a TypeError. A cut connection makes the body
 * fail half way. A stalled one makes the promise or the body wait for `ms`, or until one of the signals is aborted.
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
      return withHalves(response, () => Promise.reject(new TypeError('terminated', { cause: connectionReset() })));
    case 'stall':
      if (connection.at === 'body')
        return withHalves(response, () => stall(clock, connection.ms, AbortSignal.any(signals)));
      await stall(clock, connection.ms, AbortSignal.any(signals));
      return response;
  }
}

/** The two halves of a body. */
export async function halvesOf(response: Response): Promise<readonly [Uint8Array, Uint8Array]> {
  const body = new Uint8Array(await response.arrayBuffer());
  const middle = Math.floor(body.byteLength / 2);
  return [body.subarray(0, middle), body.subarray(middle)];
}

/** The same response; `between` runs between the halves of its body. */
async function withHalves(response: Response, between: () => Promise<void>): Promise<Response> {
  const [first, second] = await halvesOf(response);
  const parts = [first, second];
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (parts.length === 1) await between();
        const part = parts.shift();
        if (part === undefined) controller.close();
        else controller.enqueue(part);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status: response.status, headers: response.headers });
}

function connectionReset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
}
