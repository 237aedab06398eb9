import { Client, Pool } from 'pg';
import { rejectAfter, systemClock } from '../base/clock.ts';

// The store uses its own pools, or the merchant's pool. The types of `pg` that it needs are declared here, so that projects
// without the types of `pg` compile.

/** The maximum duration of a connection attempt, and of the wait for a free connection, in milliseconds. */
export const connectTimeoutMs = 3000;

/** The part of a `PoolClient` of `pg` that the store uses. */
export interface PgClient {
  query<R>(query: PgQuery): Promise<PgResult<R>>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  on(event: 'notification', listener: (notification: PgNotification) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  /** Returns the connection to its pool, or closes it. */
  release(destroy?: boolean): void;
}

/** A statement with its values; `types` are the parsers of its result. */
interface PgQuery {
  readonly text: string;
  readonly values?: unknown[];
  readonly types?: unknown;
  /** The query rejects after this time in milliseconds. */
  readonly query_timeout?: number;
}

interface PgResult<R> {
  readonly command: 'UPDATE' | 'DELETE' | 'INSERT' | 'SELECT' | 'MERGE';
  readonly rowCount: number;
  rows: R[];
}

export interface PgNotification {
  readonly channel: string;
  readonly payload?: string | undefined;
}

/** The part of a `Pool` of `pg` that the store uses. */
export interface PgPool {
  connect(): Promise<PgClient>;
  readonly options?: { readonly max?: number | undefined };
}

/** The source of a store's connections. */
export interface Connections {
  /** The name of the source in error messages. */
  readonly name: string;
  /** How many connections there are at most. */
  readonly max: number;
  /** Returns a connection for queries. Rejects when there is none within the time, at most `connectTimeoutMs`. */
  readonly connect: (timeoutMs?: number) => Promise<PgClient>;
  /** Returns a connection beside those for queries, on which the store listens until it releases the connection. */
  readonly connectApart: (timeoutMs: number) => Promise<PgClient>;
  readonly close: () => Promise<void>;
}

/** The limits of the connections of a pool of the store's own, in milliseconds. */
export interface PoolSettings {
  readonly max: number;
  /** The server cancels a longer statement, so that the connection stays usable. */
  readonly maxStatementMs?: number;
  /** The server ends a transaction that is idle for longer, so that a client that is gone does not keep its locks. */
  readonly maxIdleTransactionMs?: number;
}

/**
 * A listener for `error` events of a connection in use. Without a listener, the event would end the process. Queries on a lost
 * connection reject anyway.
 */
const ignoreError = (): void => undefined;

/**
 * Creates a pool for the store, and returns its connections. Its limits are set by a statement on each new connection, because
 * poolers refuse them as startup parameters.
 */
export function connectionsOfUrl(url: string, { max, ...limits }: PoolSettings): Connections {
  const pool = new Pool({ connectionString: url, max, connectionTimeoutMillis: connectTimeoutMs });
  pool.on('error', ignoreError);
  const text = limitsText(limits);
  pool.on('connect', (client) => {
    client.on('error', ignoreError); // the connection may fail before `pool.connect()` has resolved with it
    if (text !== '') client.query(text).catch(ignoreError);
  });
  return {
    ...connectionsOfPool(pool),
    name: 'DATABASE_URL',
    max,
    async connectApart(connectionTimeoutMillis) {
      const client = new Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis });
      client.on('error', ignoreError);
      await client.connect();
      const end = (): void => {
        client.on('error', ignoreError); // the connection may also fail while it is being closed
        client.end().catch(ignoreError);
      };
      return Object.assign(client, { release: end });
    },
    close: () => pool.end(),
  };
}

function limitsText({ maxStatementMs, maxIdleTransactionMs }: Omit<PoolSettings, 'max'>): string {
  if (maxStatementMs === undefined || maxIdleTransactionMs === undefined) return '';
  return `set statement_timeout = ${maxStatementMs}; set idle_in_transaction_session_timeout = ${maxIdleTransactionMs}`;
}

/** Returns connections of the merchant's own pool, which the store neither changes nor ends. */
export function connectionsOfPool(pool: PgPool): Connections {
  const connect = async (timeoutMs: number): Promise<PgClient> => {
    const client = await connectWithTimeout(pool, timeoutMs);
    client.on('error', ignoreError);
    return client;
  };
  return {
    name: 'the pool',
    max: pool.options?.max ?? 10,
    connect: (timeoutMs = connectTimeoutMs) => connect(Math.min(timeoutMs, connectTimeoutMs)),
    connectApart: connect,
    close: () => Promise.resolve(),
  };
}

/** Returns a connection to its pool, or closes it when `destroy` is true. */
export function release(client: PgClient, destroy: boolean): void {
  if (!destroy) client.removeListener('error', ignoreError);
  client.release(destroy);
}

/** Connects within the time, even if the merchant's pool has no time limit. */
async function connectWithTimeout(pool: PgPool, timeoutMs: number): Promise<PgClient> {
  const connection = pool.connect();
  return rejectAfter(systemClock, timeoutMs, connection, () => {
    connection.then((client) => client.release(), ignoreError);
    return new Error('timeout exceeded when trying to connect');
  });
}

/**
 * Rejects when a pooler gives the connection of a session to others between two transactions: notifications would not arrive,
 * and settings would reach other sessions. A transaction on a second connection makes such a pooler change the connection.
 */
export async function assertSessionMode({ connectApart }: Pick<Connections, 'connectApart'>): Promise<void> {
  const clients: PgClient[] = [];
  const pidOf = async (client: PgClient | undefined): Promise<number | undefined> => {
    const result = await client?.query<{ pid: number }>({
      text: 'select pg_backend_pid() as pid',
      query_timeout: 2000,
    });
    return result?.rows[0]?.pid;
  };
  try {
    for (let count = 0; count < 2; count += 1) clients.push(await connectApart(connectTimeoutMs));
    const [session, other] = clients;
    const pids = new Set([await pidOf(session)]);
    await other?.query({ text: 'begin' });
    const otherPid = await pidOf(other);
    for (let count = 0; count < 3; count += 1) pids.add(await pidOf(session));
    await other?.query({ text: 'rollback' });
    if (pids.size > 1 || pids.has(otherPid)) throw new Error(poolerText);
  } finally {
    for (const client of clients) release(client, false);
  }
}

const poolerText = 'it is behind a pooler in transaction mode: connect directly, or use session mode';
