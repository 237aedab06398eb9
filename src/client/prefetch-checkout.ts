import type { CheckoutTransport, Clock, FirstResponse, ReadAnswer } from '../core.ts';

/** A read of the checkout that begins before there is a session. */
export interface FirstRead {
  readonly answer: Promise<ReadAnswer>;
  /** The response with a checkout; undefined until it has come. */
  readonly response: () => FirstResponse | undefined;
  readonly abort: () => void;
}

/** Sends a read now. If it fails and nothing uses it, there is no unhandled rejection. */
export function beginFirstRead(read: CheckoutTransport['read'], clock: Clock): FirstRead {
  const controller = new AbortController();
  let response: FirstResponse | undefined;
  const sendRead = async (): Promise<ReadAnswer> => {
    const result = await read({}, controller.signal);
    if (result.kind === 'checkout')
      response = { checkout: result.checkout, etag: result.etag, receivedAt: clock.now() };
    return result;
  };
  const answer = sendRead();
  answer.catch(() => undefined);
  return { answer, response: () => response, abort: () => controller.abort() };
}

/** A transport whose first `read` has the result of `firstRead`. Aborting this `read` aborts `firstRead`. */
export function continueRead(firstRead: FirstRead, transport: CheckoutTransport): CheckoutTransport {
  let unusedRead: FirstRead | undefined = firstRead;
  return {
    createInvoice: (request, signal) => transport.createInvoice(request, signal),
    read(request, signal) {
      if (!unusedRead) return transport.read(request, signal);
      const { answer, abort } = unusedRead;
      unusedRead = undefined;
      signal.addEventListener('abort', abort);
      return answer;
    },
  };
}
