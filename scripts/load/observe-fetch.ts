// `fetch` whose results are recorded: what a load run knows of the answers, whatever the widget makes of them.

/** Called with the result of each request: its HTTP status, or the reason why it has no answer. */
export type RecordResult = (method: string, result: string, ms: number) => void;

/** A `fetch` that records its results. A request that its caller no longer needs is not recorded. */
export function observeFetch(send: typeof fetch, record: RecordResult): typeof fetch {
  return async (input, init) => {
    const sentAt = performance.now();
    const end = (result: string): void => record(init?.method ?? 'GET', result, performance.now() - sentAt);
    try {
      const response = await send(input, init);
      // The servers' own refusals are JSON.
      const isOfProxy = response.status === 503 && response.headers.get('content-type') === 'text/html';
      end(isOfProxy ? '503 of the proxy' : String(response.status));
      return response;
    } catch (error) {
      const reason = reasonOf(error, init?.signal);
      if (reason !== undefined) end(reason);
      throw error;
    }
  };
}

/** `timeout`, or the system's code of a lost connection such as `ECONNRESET`; undefined when the caller has aborted the request. */
function reasonOf(error: unknown, signal: AbortSignal | null | undefined): string | undefined {
  if (signal?.aborted === true) return isTimeout(signal.reason) ? 'timeout' : undefined;
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'network';
}

/** The session's transport aborts with a `CheckoutError`, and `AbortSignal.timeout` with a `DOMException`. */
function isTimeout(reason: unknown): boolean {
  if (!(reason instanceof Error)) return false;
  return reason.name === 'TimeoutError' || ('code' in reason && reason.code === 'timeout');
}
