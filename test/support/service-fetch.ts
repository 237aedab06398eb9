/** A `fetch` for the client of the invoice service, which is answered in this process. A result that is no response is its JSON. */
export function serviceFetch(
  answer: (operation: string, body: Readonly<Record<string, unknown>>) => Response | object,
): typeof globalThis.fetch {
  return (url, init) => {
    const body: unknown = JSON.parse(typeof init?.body === 'string' ? init.body : '{}');
    const operation = new URL(url instanceof Request ? url.url : url).pathname.split('/').at(-1) ?? '';
    const result = answer(operation, typeof body === 'object' && body !== null ? { ...body } : {});
    return Promise.resolve(result instanceof Response ? result : Response.json(result));
  };
}
