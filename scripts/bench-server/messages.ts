// What the bench and its contenders say to each other.

/**
 * `checkout server`: `toNodeListener` on `node:http`, as the example runs it; `checkout server in hono`: as a route of
 * hono; the others answer the same bytes from memory.
 */
export const contenderNames = ['node:http', 'hono', 'checkout server', 'checkout server in hono'] as const;
export type ContenderName = (typeof contenderNames)[number];

/** An answer that the bare servers give. */
export interface CannedAnswer {
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Canned {
  readonly read: CannedAnswer;
  readonly create: CannedAnswer;
}

export type Asked =
  | { readonly do: 'can'; readonly canned: Canned }
  | { readonly do: 'open'; readonly count: number }
  | { readonly do: 'cpu' }
  | { readonly do: 'stop' };

export interface Told {
  readonly port?: number;
  readonly ids?: readonly string[];
  readonly cpuMicroseconds?: number;
}
