import type { CheckoutTransport, Clock, FirstResponse, ReadAnswer } from '../core.ts';

/** A read of the checkout that begins before there is a session. */
export interface FirstRead {
  readonly answer: Promise<ReadAnswer>;
  /** The response, once it has come with a checkout. */
  readonly response: () => FirstResponse | undefined;
  readonly abort: () => void;
}

/** Sends a read now. A failure is not reported as an unhandled rejection. */
export function beginFirstRead(read: CheckoutTransport['read'], clock: Clock): FirstRead {
  const controller = new AbortController();
  let response: FirstResponse | undefined;
  const receive = async (): Promise<ReadAnswer> => {
    const received = await read({}, controller.signal);
    if (received.kind === 'checkout')
      response = { checkout: received.checkout, etag: received.etag, receivedAt: clock.now() };
    return received;
  };
  const answer = receive();
  answer.catch(() => undefined);
  return { answer, response: () => response, abort: () => controller.abort() };
}

/** A transport whose first `read` returns the answer of `first`. Aborting that read aborts `first`. */
export function continueRead(first: FirstRead, transport: CheckoutTransport): CheckoutTransport {
  let begun: FirstRead | undefined = first;
  return {
    createInvoice: (request, signal) => transport.createInvoice(request, signal),
    read(request, signal) {
      if (!begun) return transport.read(request, signal);
      const { answer, abort } = begun;
      begun = undefined;
      signal.addEventListener('abort', abort);
      return answer;
    },
  };
}
