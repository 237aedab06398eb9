// Messages between the bench and the server processes that it measures.

/**
 * `checkout server`: `toNodeListener` on `node:http`, as the example runs it; `checkout server in hono`: as a route of
 * hono; `hono with a SELECT`: a route of hono that reads one row of the same database and serializes it; the others answer
 * the same bytes from memory.
 */
export const subjectNames = [
  'node:http',
  'hono',
  'hono with a SELECT',
  'checkout server',
  'checkout server in hono',
] as const;
export type SubjectName = (typeof subjectNames)[number];

/** A recorded response of the checkout server that the bare servers send. */
export interface RecordedResponse {
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface RecordedResponses {
  readonly read: RecordedResponse;
  readonly create: RecordedResponse;
}

export type Command =
  | { readonly do: 'setResponses'; readonly responses: RecordedResponses }
  | { readonly do: 'open'; readonly count: number }
  | { readonly do: 'cpu' }
  | { readonly do: 'stop' };

export interface Reply {
  readonly port?: number;
  readonly ids?: readonly string[];
  readonly cpuMicroseconds?: number;
}
