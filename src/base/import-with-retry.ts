/**
 * Imports a lazily loaded file. Rejects also when the file comes without its export `name`: an empty file, or what a bundler's own
 * loader should have loaded. If the import fails, the file is imported once more under another URL, because Chromium does
 * not load a module again from a URL that failed. The failed URL is read from the error's message. A page whose import map has
 * integrity hashes gets no second import, because the hashes do not cover the other URL.
 */
export async function importChunk<T>(load: () => Promise<T>, name: keyof T): Promise<T> {
  const check = (chunk: T): T => {
    if (chunk[name]) return chunk;
    throw new Error('a file is empty');
  };
  try {
    return check(await load());
  } catch (thrown) {
    const url = /https?:[^\s)]+/.exec(String(thrown))?.[0];
    for (const { type, text } of document.scripts)
      if (type === 'importmap' && text.includes('"integrity"')) throw thrown;
    // eslint-disable-next-line @typescript-eslint/no-unsafe-assignment -- the same module
    const chunk: T = url
      ? await import(/* @vite-ignore */ /* webpackIgnore: true */ `${url}?${Date.now()}`)
      : await load();
    return check(chunk);
  }
}

/** How long a file is awaited, in ms. */
const limitMs = 8000;

/** Settles as `loading` does, or rejects after 8 s: a request can stall without an end. */
export const inTime = <T>(loading: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(reject, limitMs, new Error('a file is late'));
    void loading.then(resolve, reject).then(() => clearTimeout(timer));
  });

/**
 * `load` loads a file once, and rejects if it has not come in time; after a failure the next call loads it again, after a delay the
 * next call awaits it again. `loaded` returns the module, if it is loaded.
 */
type LazyChunk<T> = readonly [load: () => Promise<T>, loaded: () => T | undefined];

export function lazyChunk<T>(load: () => Promise<T>, name: keyof T): LazyChunk<T> {
  let loaded: T | undefined;
  let loading: Promise<T> | undefined;
  return [
    () =>
      inTime(
        (loading ??= importChunk(load, name)
          .then((chunk) => (loaded = chunk))
          .finally(() => {
            if (!loaded) loading = undefined;
          })),
      ),
    () => loaded,
  ];
}
