/**
 * Imports a lazily loaded file. If the import fails, the file is imported once more under another URL, because Chromium does
 * not load a module again from a URL that failed. The failed URL is read from the error's message. A page whose import map has
 * integrity hashes gets no second import, because the hashes do not cover the other URL.
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

/** `load` loads a file once; after a failure the next call loads it again. `loaded` returns the module, if it is loaded. */
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
