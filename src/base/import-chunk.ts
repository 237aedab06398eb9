/**
 * Imports a lazily loaded file. If that fails, it is imported once more under another URL: Chromium remembers under which
 * URL a module failed, and names it in the error. Integrity hashes in an import map do not cover the other URL, so on a page
 * with such hashes the error stays.
 */
export async function importChunk<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (thrown) {
    const url = /https?:\S+/.exec(String(thrown))?.[0];
    for (const { type, text } of document.scripts)
      if (type === 'importmap' && text.includes('"integrity"')) throw thrown;
    // eslint-disable-next-line @typescript-eslint/no-unsafe-return -- the same module
    return url ? import(/* @vite-ignore */ /* webpackIgnore: true */ `${url}?${Date.now()}`) : load();
  }
}

/** What loads a file once, and its module where that has happened. After a failure the next call loads it again. */
type LazyChunk<T> = readonly [load: () => Promise<T>, loaded: () => T | undefined];

export function lazyChunk<T>(load: () => Promise<T>): LazyChunk<T> {
  let loaded: T | undefined;
  let loading: Promise<T> | undefined;
  return [
    () =>
      (loading ??= importChunk(load)
        .then((chunk) => (loaded = chunk))
        .finally(() => {
          if (!loaded) loading = undefined;
        })),
    () => loaded,
  ];
}
