import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { DatabaseError, TypeOverrides } from 'pg';
import { steadyClock } from '../base/clock.ts';
import { systemRandom } from '../base/random.ts';
import { StoreUnavailableError } from '../server.ts';
import { connectTimeoutMs, release, type Connections, type PgClient, type PoolSettings } from './postgres-pool.ts';

/** Reads `bigint` as a number, which holds milliseconds since 1970 exactly. */
const types = new TypeOverrides();
types.setTypeParser(20, Number);

/** How long one use of a connection may take, from the request for a connection until its release. */
const maxSessionMs = 4000;
/** The server cancels a statement a little earlier than that, so that the connection stays usable. */
const maxStatementMs = 3500;
/** The server ends a transaction that is idle for this long, so that a client that is gone does not keep its locks. */
const maxIdleTransactionMs = 10_000;
/** The longest pause between two checks of whether the database answers again. */
const probePauseMs = 500;

/** The settings of the pool for queries that a request waits for. */
export const boundedSettings: PoolSettings = {
  max: 10,
  statement_timeout: maxStatementMs,
  idle_in_transaction_session_timeout: maxIdleTransactionMs,
};

/** A pool without a time limit for queries. */
export function unboundedPool({ connect, close }: Connections): PostgresPool {
  return { connect: async () => new Session(await connect()), end: close };
}

/**
 * A pool for queries that a request waits for. Every wait has a limit. A failure of the database, unlike an error in a query,
 * rejects with `StoreUnavailableError`. While the database does not answer, all calls reject immediately.
 */
export function boundedPool(connections: Connections): PostgresPool {
  const outage = new Outage(() => probe(connections));
  return {
    async connect() {
      const startedAt = steadyClock.now();
      outage.throwIfUnavailable();
      let client: PgClient;
      try {
        client = await connections.connect();
      } catch (error) {
        const unavailable = new StoreUnavailableError(reasonOf(error), { cause: error });
        if (isUnreachable(error)) outage.begin(unavailable);
        throw unavailable;
      }
      const ms = maxSessionMs - (steadyClock.now() - startedAt);
      return new Session(client, { ms, onTimeout: (error) => outage.begin(error) });
    },
    async end() {
      outage.end();
      await connections.close();
    },
  };
}

/** The maximum duration of a session in milliseconds, and the function that is called when the session exceeds it. */
interface SessionLimit {
  readonly ms: number;
  readonly onTimeout: (error: StoreUnavailableError) => void;
}

/** One use of a connection, from `connect` to `release`. When it exceeds its limit, the connection is closed. */
class Session implements PostgresPoolClient {
  readonly #client: PgClient;
  readonly #cancelTimer: (() => void) | undefined;
  #timeoutError: StoreUnavailableError | undefined;
  #isBroken = false;

  constructor(client: PgClient, limit?: SessionLimit) {
    this.#client = client;
    if (limit === undefined) return;
    this.#cancelTimer = steadyClock.schedule(limit.ms, () => {
      this.#timeoutError = new StoreUnavailableError('timeout');
      release(client, true); // closes the connection, which ends the query that is under way
      limit.onTimeout(this.#timeoutError);
    });
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    query: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof query !== 'string') throw new TypeError('cursors are not supported');
    return this.#run<R>(query, parameters);
  }

  release(): void {
    this.#cancelTimer?.();
    if (this.#timeoutError === undefined) release(this.#client, this.#isBroken);
  }

  /** A method, because TypeScript does not expect that the timer sets the error during an await. */
  #readTimeoutError(): StoreUnavailableError | undefined {
    return this.#timeoutError;
  }

  async #run<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    const timeoutError = this.#readTimeoutError();
    if (timeoutError !== undefined) throw timeoutError;
    try {
      return await this.#client.query<R>({ text, values: [...values], types });
    } catch (error) {
      this.#isBroken ||= endsConnection(error);
      throw this.#readTimeoutError() ?? toUnavailable(error) ?? error;
    }
  }
}

/** An outage of the database. Keeps its error, and probes the database in the background until it answers. */
class Outage {
  readonly #probe: () => Promise<void>;
  #error: StoreUnavailableError | undefined;
  #cancelProbe = (): void => undefined;
  #isEnded = false;

  constructor(probe: () => Promise<void>) {
    this.#probe = probe;
  }

  /** @throws StoreUnavailableError the error that began the outage, while the outage lasts */
  throwIfUnavailable(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  begin(error: StoreUnavailableError): void {
    if (this.#error !== undefined || this.#isEnded) return;
    this.#error = error;
    void this.#probeUntilAnswered();
  }

  end(): void {
    this.#isEnded = true;
    this.#error = undefined;
    this.#cancelProbe();
  }

  async #probeUntilAnswered(): Promise<void> {
    try {
      await this.#probe();
      this.#error = undefined;
    } catch {
      if (this.#isEnded) return;
      const pauseMs = probePauseMs * (0.5 + systemRandom.number() / 2);
      this.#cancelProbe = steadyClock.schedule(pauseMs, () => void this.#probeUntilAnswered(), true);
    }
  }
}

/** Resolves when the database answers a query. */
async function probe({ connect }: Connections): Promise<void> {
  const session = new Session(await connect(), { ms: connectTimeoutMs, onTimeout: () => undefined });
  try {
    await session.query('select 1', []);
  } finally {
    session.release();
  }
}

/** Whether the connection cannot be used after this error. */
function endsConnection(error: unknown): boolean {
  return !(error instanceof DatabaseError) || ['FATAL', 'PANIC'].includes(error.severity ?? '');
}

/**
 * SQLSTATEs of a database that cannot work now: connection, resources, shutdown and start, disk, configuration, damage,
 * statement timeout, read-only transaction, serialization failure, deadlock, lock.
 */
const unavailableStates = /^(?:08|53|57P|58|F0|XX00[12]|57014|25006|40001|40P01|55P03)/;

/** The `StoreUnavailableError` for an error of the database; undefined when the query is at fault. */
function toUnavailable(error: unknown): StoreUnavailableError | undefined {
  if (error instanceof StoreUnavailableError) return error;
  if (error instanceof TypeError || error instanceof RangeError) return undefined;
  const isDatabaseError = error instanceof DatabaseError;
  if (isDatabaseError && !unavailableStates.test(error.code ?? '')) return undefined;
  return new StoreUnavailableError(reasonOf(error), { cause: error });
}

/** Whether the database could not be reached. False when only all connections were in use. */
function isUnreachable(error: unknown): boolean {
  const isAtConnectionLimit = error instanceof DatabaseError && error.code === '53300';
  return (
    !isAtConnectionLimit && !(error instanceof Error && error.message === 'timeout exceeded when trying to connect')
  );
}

/** The error's SQLSTATE or system error code. For an error without a code: `timeout` or `connection_lost`. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code !== '') return code;
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return error instanceof Error && error.message.includes('timeout') ? 'timeout' : 'connection_lost';
}
