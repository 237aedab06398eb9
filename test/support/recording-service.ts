import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../mounts/listen.ts';

/** A request that the service has received. `at` is in milliseconds since 1970. */
export interface RecordedRequest {
  readonly at: number;
  readonly operation: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The response to a request: a body with the status 200, or another status. */
type Answer = (request: RecordedRequest) => { readonly status?: number; readonly body: unknown };

export interface RecordingService {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  readonly close: () => Promise<void>;
}

/** An invoice service on loopback that records what it receives. What it answers is the test's. */
export async function startRecordingService(answer: Answer): Promise<RecordingService> {
  const requests: RecordedRequest[] = [];
  const server = createServer((incoming, response) => {
    const at = Date.now();
    void text(incoming).then((json) => {
      const body: unknown = JSON.parse(json);
      const request = {
        at,
        operation: incoming.url?.split('/').at(-1) ?? '',
        headers: incoming.headers,
        body: typeof body === 'object' && body !== null ? { ...body } : {},
      };
      requests.push(request);
      const result = answer(request);
      response.writeHead(result.status ?? 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(result.body));
    });
  });
  const { endpoint, close } = await listen(server, '');
  return { url: endpoint, requests, close };
}
