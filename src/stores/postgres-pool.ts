import { Client, Pool } from 'pg';
import { systemClock } from '../base/clock.ts';

// The store uses its own pool, or the merchant's pool. The types of `pg` that it needs are declared here, so that projects
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

/** The source of a store's connections. */
export interface Connections {
  /** The name of the source in error messages. */
  readonly name: string;
  /** Returns a connection for queries. Rejects when there is no connection within `connectTimeoutMs`. */
  readonly connect: () => Promise<PgClient>;
  /** Returns a connection on which the store listens for notifications until it releases the connection. */
  readonly connectToListen: () => Promise<PgClient>;
  readonly close: () => Promise<void>;
}

/**
 * A listener for `error` events. Without a listener, the event would end the process. Queries on a lost connection reject
 * anyway.
 */
const ignoreError = (): void => undefined;
/** A listener for `connect` events: a connection may fail before `pool.connect()` has resolved with it. */
const ignoreErrorsOf = (client: PgClient): void => void client.on('error', ignoreError);

/** Creates a pool for the store, and returns its connections. */
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
      client.on('error', ignoreError);
      await client.connect();
      return Object.assign(client, { release: () => void client.end().catch(ignoreError) });
    },
    // The listeners are not removed: connections may fail even after `end` has resolved.
    close: () => pool.end(),
  };
}

export interface PoolSettings {
  readonly max: number;
  readonly statement_timeout?: number;
  readonly idle_in_transaction_session_timeout?: number;
}

/** Returns connections of the merchant's own pool, which the store never ends. One connection listens for notifications. */
export function connectionsOfPool(pool: PgPool): Connections {
  pool.on('error', ignoreError);
  pool.on('connect', ignoreErrorsOf);
  const connect = async (): Promise<PgClient> => {
    const client = await connectWithTimeout(pool);
    ignoreErrorsOf(client); // the pool may have made the connection before the listener was added
    return client;
  };
  return {
    name: 'the pool',
    connect,
    connectToListen: connect,
    close() {
      pool.removeListener('error', ignoreError);
      pool.removeListener('connect', ignoreErrorsOf);
      return Promise.resolve();
    },
  };
}

/** Returns a connection to its pool, or closes it when `destroy` is true. */
export function release(client: PgClient, destroy: boolean): void {
  if (!destroy) client.removeListener('error', ignoreError);
  client.release(destroy);
}

/** Connects within `connectTimeoutMs`, even if the merchant's pool has no time limit. */
async function connectWithTimeout(pool: PgPool): Promise<PgClient> {
  const connection = pool.connect();
  let cancel = (): void => undefined;
  const timeout = new Promise<never>((_, reject) => {
    cancel = systemClock.schedule(connectTimeoutMs, () => {
      reject(new Error('timeout exceeded when trying to connect'));
      connection.then((client) => client.release(), ignoreError);
    });
  });
  return Promise.race([connection, timeout]).finally(cancel);
}
