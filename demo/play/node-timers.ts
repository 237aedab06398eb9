// What the backend's code uses of `node:timers/promises`, for a browser: the build puts it in its place.

/** Resolves after `ms` milliseconds; rejects as soon as the signal aborts. */
export function setTimeout<T>(ms: number, value: T, { signal }: { readonly signal: AbortSignal }): Promise<T> {
  return new Promise((resolve, reject) => {
    const refuse = (): void => {
      clearTimeout(timer);
      reject(new DOMException('aborted', 'AbortError'));
    };
    const timer = globalThis.setTimeout(() => {
      signal.removeEventListener('abort', refuse);
      resolve(value);
    }, ms);
    signal.addEventListener('abort', refuse, { once: true });
    if (signal.aborted) refuse();
  });
}
