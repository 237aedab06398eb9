import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { DatabaseError, Pool, type PoolClient, type PoolConfig } from 'pg';
import { StoreUnavailableError } from '../server.ts';

/** How long a connection attempt, or the wait for a free connection, may take. */
export const connectTimeoutMs = 3000;
/** How long one use of a connection may take, from the request for it until its last response. */
const sessionMs = 4000;
/** The server ends a statement a little earlier: the connection then stays usable. */
const statementMs = 3500;
/** A transaction whose client is gone keeps its locks no longer than this. */
const idleTransactionMs = 10_000;
/** The longest pause between two checks of whether the database answers again. */
const probePauseMs = 500;

/**
 * A pool for queries that a request waits for: every wait is bounded, and every failure of the database, rather than of a
 * query, is a `StoreUnavailableError`. Once the database does not answer, all calls are refused at once until it does.
 */
export function createBoundedPool(config: PoolConfig): PostgresPool {
  const pool = new Pool({
    ...config,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: idleTransactionMs,
  });
  ignoreLostConnections(pool);
  const outage = new Outage(() => probe(pool));
  return {
    async connect() {
      const startedAt = performance.now();
      outage.check();
      let client: PoolClient;
      try {
        client = await pool.connect();
      } catch (error) {
        const unavailable = new StoreUnavailableError(reasonOf(error), { cause: error });
        if (isUnreachable(error)) outage.begin(unavailable);
        throw unavailable;
      }
      return new Session(client, sessionMs - (performance.now() - startedAt), (error) => outage.begin(error));
    },
    async end() {
      outage.end();
      await pool.end();
    },
  };
}

/** A lost connection fails its query, if it has one. The event without a listener would end the process. */
export function ignoreLostConnections(pool: Pool): void {
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
}

/** One use of a connection, from `connect` to `release`. When its time is over, the connection is closed. */
class Session implements PostgresPoolClient {
  readonly #client: PoolClient;
  readonly #timer: NodeJS.Timeout;
  #lost: StoreUnavailableError | undefined;
  #isBroken = false;

  constructor(client: PoolClient, ms: number, onTimeout: (error: StoreUnavailableError) => void) {
    this.#client = client;
    this.#timer = setTimeout(() => {
      this.#lost = new StoreUnavailableError('timeout');
      client.release(true); // ends the query that is under way
      onTimeout(this.#lost);
    }, ms);
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    query: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof query !== 'string') throw new TypeError('cursors are not supported');
    return this.#run<R>(this.#client, query, parameters);
  }

  release(): void {
    clearTimeout(this.#timer);
    if (this.#lost === undefined) this.#client.release(this.#isBroken);
  }

  #timeoutError(): StoreUnavailableError | undefined {
    return this.#lost;
  }

  async #run<R>(
    client: PostgresPoolClient,
    sql: string,
    parameters: readonly unknown[],
  ): Promise<PostgresQueryResult<R>> {
    const timeoutError = this.#timeoutError();
    if (timeoutError !== undefined) throw timeoutError;
    try {
      return await client.query<R>(sql, parameters);
    } catch (error) {
      this.#isBroken ||= endsConnection(error);
      throw this.#timeoutError() ?? toUnavailable(error) ?? error;
    }
  }
}

/** Remembers that the database does not answer, and checks in the background until it does. */
class Outage {
  readonly #probe: () => Promise<void>;
  #error: StoreUnavailableError | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(probe: () => Promise<void>) {
    this.#probe = probe;
  }

  /** @throws the error that began the outage, as long as it lasts. */
  check(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  begin(error: StoreUnavailableError): void {
    if (this.#error !== undefined || this.#isEnded) return;
    this.#error = error;
    void this.#check();
  }

  end(): void {
    this.#isEnded = true;
    this.#error = undefined;
    clearTimeout(this.#timer);
  }

  async #check(): Promise<void> {
    try {
      await this.#probe();
      this.#error = undefined;
    } catch {
      if (this.#isEnded) return;
      const pause = probePauseMs * (0.5 + Math.random() / 2);
      this.#timer = setTimeout(() => void this.#check(), pause).unref();
    }
  }
}

/** Resolves when the database answers a query. */
async function probe(pool: Pool): Promise<void> {
  const session = new Session(await pool.connect(), connectTimeoutMs, () => undefined);
  try {
    await session.query('select 1', []);
  } finally {
    session.release();
  }
}

/** Whether the server closes the connection with this error, or has closed it. */
function endsConnection(error: unknown): boolean {
  return !(error instanceof DatabaseError) || ['FATAL', 'PANIC'].includes(error.severity ?? '');
}

/** SQLSTATEs of a database that cannot work now: connection, resources, shutdown and start, disk, damage, read-only. */
const unavailableStates = /^(?:08|53|57P|58|F0|XX00[12]|57014|25006|40001|40P01|55P03)/;

/** The error of a database that cannot work now; undefined when the query is at fault. */
function toUnavailable(error: unknown): StoreUnavailableError | undefined {
  if (error instanceof StoreUnavailableError) return error;
  if (error instanceof TypeError || error instanceof RangeError) return undefined;
  const isDatabaseError = error instanceof DatabaseError;
  if (isDatabaseError && !unavailableStates.test(error.code ?? '')) return undefined;
  return new StoreUnavailableError(reasonOf(error), { cause: error });
}

/** Whether no connection could be made, for another reason than that none was free. */
function isUnreachable(error: unknown): boolean {
  const isFull = error instanceof DatabaseError && error.code === '53300';
  return !isFull && !(error instanceof Error && error.message === 'timeout exceeded when trying to connect');
}

/** A SQLSTATE or a system error's code; `connection_lost` where there is none. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code !== '') return code;
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return error instanceof Error && error.message.includes('timeout') ? 'timeout' : 'connection_lost';
}
