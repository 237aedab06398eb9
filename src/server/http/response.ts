/** What a request says before its body; a `Request` is one. */
export interface RequestHead {
  readonly method: string;
  readonly headers: Pick<Headers, 'get' | 'has'>;
}

/** Calls a listener once when the client has gone, at once where it has already; returns how to stop listening. */
export type OnDisconnect = (listener: () => void) => () => void;

/** An answer before it is one of `fetch` or of `node:http`: thousands may be held at a time. */
export interface CheckoutResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A document of this API's. */
export function jsonResponse(
  document: unknown,
  status: number,
  headers: CheckoutResponse['headers'],
): CheckoutResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(document) };
}

export function toFetchResponse({ status, headers, body }: CheckoutResponse): Response {
  return new Response(body ?? null, { status, headers });
}

export function onAbort(signal: AbortSignal): OnDisconnect {
  return (listener) => {
    signal.addEventListener('abort', listener, { once: true });
    if (signal.aborted) listener();
    return () => signal.removeEventListener('abort', listener);
  };
}
