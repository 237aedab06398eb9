import { Client, Pool } from 'pg';

// The store uses its own pool or the merchant's. The types that it needs of `pg` are declared here, so that a project without
// the types of `pg` compiles.

/** How long a connection attempt, or the wait for a free connection, may take, in milliseconds. */
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
export interface PgQuery {
  readonly text: string;
  readonly values?: unknown[];
  readonly types?: unknown;
}

export interface PgResult<R> {
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
  on(event: 'connect', listener: (client: PgClient) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'connect', listener: (client: PgClient) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

/** Where a store's connections come from. */
export interface Connections {
  /** The name in error messages. */
  readonly name: string;
  /** For queries. Rejects when there is no connection within `connectTimeoutMs`. */
  readonly connect: () => Promise<PgClient>;
  /** A connection on which the store listens for notifications, until it is released. */
  readonly connectToListen: () => Promise<PgClient>;
  readonly close: () => Promise<void>;
}

/** A listener for `error`: without one, the event would end the process. A query on a lost connection rejects anyway. */
const ignore = (): void => undefined;
/** A listener for `connect`: a connection may fail after it was made and before `pool.connect()` has resolved with it. */
const ignoreErrorsOf = (client: PgClient): void => void client.on('error', ignore);

/** Connections of a pool that the store creates. */
export function connectionsOfUrl(url: string, settings: PoolSettings): Connections {
  const pool = new Pool({ ...settings, connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  const { connect } = connectionsOfPool(pool);
  return {
    name: 'DATABASE_URL',
    connect,
    async connectToListen() {
      const client = new Client({
        connectionString: url,
        keepAlive: true,
        connectionTimeoutMillis: connectTimeoutMs,
      });
      client.on('error', ignore);
      await client.connect();
      return Object.assign(client, { release: () => void client.end().catch(ignore) });
    },
    // The listeners are not removed: connections may still fail while they end, after `end` has resolved.
    close: () => pool.end(),
  };
}

export interface PoolSettings {
  readonly max: number;
  readonly statement_timeout?: number;
  readonly idle_in_transaction_session_timeout?: number;
}

/** Connections of the merchant's own pool, which is never ended. One of them listens for notifications. */
export function connectionsOfPool(pool: PgPool): Connections {
  pool.on('error', ignore);
  pool.on('connect', ignoreErrorsOf);
  const connect = async (): Promise<PgClient> => {
    const client = await connectInTime(pool);
    ignoreErrorsOf(client); // the pool may have made the connection before the listener was added
    return client;
  };
  return {
    name: 'the pool',
    connect,
    connectToListen: connect,
    close() {
      pool.removeListener('error', ignore);
      pool.removeListener('connect', ignoreErrorsOf);
      return Promise.resolve();
    },
  };
}

/** Returns a connection to its pool, or closes it when `destroy` is true. */
export function release(client: PgClient, destroy: boolean): void {
  if (!destroy) client.removeListener('error', ignore);
  client.release(destroy);
}

/** Connects within `connectTimeoutMs`, also where the merchant's pool has no time limit. */
async function connectInTime(pool: PgPool): Promise<PgClient> {
  const connecting = pool.connect();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error('timeout exceeded when trying to connect'));
      connecting.then((client) => client.release(), ignore);
    }, connectTimeoutMs);
  });
  return Promise.race([connecting, timeout]).finally(() => clearTimeout(timer));
}
