// `fetch` for one payer of a load run, over one connection that is kept as a browser keeps it. Node's own `fetch` shares its
// connections between all payers of a process, so that it would open fewer of them than browsers do.
import { Agent, request as startRequest } from 'node:http';
import { text } from 'node:stream/consumers';

export interface KeepAliveFetch {
  readonly fetch: typeof fetch;
  /** Closes the connection. */
  close(): void;
}

export function createKeepAliveFetch(): KeepAliveFetch {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = (input: Parameters<typeof fetch>[0], init: RequestInit = {}): Promise<Response> =>
    new Promise((resolve, reject) => {
      const { method = 'GET', headers, body, signal } = init;
      const fail = (cause: unknown): void => reject(new TypeError('fetch failed', { cause }));
      const request = startRequest(
        input instanceof Request ? input.url : input,
        { agent, method, headers: Object.fromEntries(new Headers(headers)), ...(signal && { signal }) },
        (response) => {
          const { statusCode: status = 0, headers: received } = response;
          text(response).then((content) => {
            const answerHeaders = Object.entries(received).flatMap(([name, value]) =>
              value === undefined ? [] : [[name, String(value)] satisfies [string, string]],
            );
            resolve(new Response(status === 304 ? null : content, { status, headers: answerHeaders }));
          }, fail);
        },
      );
      request.on('error', fail);
      request.end(typeof body === 'string' ? body : undefined);
    });
  return { fetch: send, close: () => agent.destroy() };
}
