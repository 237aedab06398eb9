/** The head of a request; a `Request` fits. */
export interface RequestHead {
  readonly method: string;
  readonly headers: Pick<Headers, 'get' | 'has'>;
}

/** Calls a listener once when the client disconnects, immediately when it has already. Returns the unsubscribe function. */
export type OnDisconnect = (listener: () => void) => () => void;

/** A response that is independent of `fetch` and `node:http`. It is small, because thousands may be pending at a time. */
export interface CheckoutResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export function jsonResponse(value: unknown, status: number, headers: CheckoutResponse['headers']): CheckoutResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
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
