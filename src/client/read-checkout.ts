import type { CheckoutTransport, ReadAnswer, ReadRequest } from '../core.ts';
import { checkoutUrl } from '../protocol/checkout-urls.ts';
import { acceptedTypes, checkoutOrResponse, type FirstAnswer, type FirstRead } from './first-read.ts';
import { errorOfResponse } from './http-problem.ts';
import { readTimeoutMs, sendRequest, type HttpTransportOptions } from './http-request.ts';

/** Throws the error of a response that has no checkout. */
function requireCheckout(answer: FirstAnswer): ReadAnswer {
  if (answer.kind === 'other') throw errorOfResponse(answer.response, answer.text);
  return answer;
}

/** Sends `GET {endpoint}/{checkout}` with the query and the headers of `request` (docs/checkout-api.md). */
export async function readCheckout(
  transportOptions: HttpTransportOptions,
  request: ReadRequest,
  signal: AbortSignal,
): Promise<ReadAnswer> {
  const { etag, waitSeconds, amount, options } = request;
  const query = new URLSearchParams();
  if (amount !== undefined) query.set('amount', amount);
  if (options === true) query.set('options', '1');
  const headers = new Headers(acceptedTypes);
  if (etag !== undefined) headers.set('If-None-Match', etag);
  if (waitSeconds !== undefined) headers.set('Prefer', `wait=${waitSeconds}`);
  const search = query.toString();
  const url = checkoutUrl(transportOptions.endpoint, transportOptions.checkout) + (search && `?${search}`);
  const timeoutMs = readTimeoutMs + (waitSeconds ?? 0) * 1000;
  return sendRequest(transportOptions, url, { headers }, timeoutMs, signal, (response, text) =>
    response.status === 304 ? { kind: 'unchanged' } : requireCheckout(checkoutOrResponse(response, text)),
  );
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
      return answer.then(requireCheckout);
    },
  };
}
