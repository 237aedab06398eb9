import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { DatabaseError, TypeOverrides } from 'pg';
import { steadyClock } from '../base/clock.ts';
import { toError } from '../base/thrown-value.ts';
import { StoreUnavailableError } from '../server.ts';
import { release, type Connections, type PgClient } from './postgres-pool.ts';

/** Reads `bigint` as a number, which holds milliseconds since 1970 exactly. */
const types = new TypeOverrides();
types.setTypeParser(20, Number);

/** What Kysely would give a client of its own, by which it cancels queries; nothing here asks for that. */
const options = {};

/**
 * A pool in which one use of a connection, with the wait for it, takes at most `maxUseMs` milliseconds. A failure of the database,
 * unlike an error in a query, rejects with `StoreUnavailableError`.
 */
export function limitedPool({ connect }: Connections, outage: Outage, maxUseMs: number): PostgresPool {
  return {
    async connect() {
      const deadline = steadyClock.now() + maxUseMs;
      outage.throwIfUnavailable();
      outage.beginTry();
      try {
        return new Session(await connect(maxUseMs), deadline, outage);
      } catch (thrown) {
        const error = toError(thrown);
        const unavailable = new StoreUnavailableError(reasonOf(error), { cause: error });
        if (unavailable.reason !== tooManyConnections) outage.begin(unavailable);
        throw unavailable;
      }
    },
    end: () => Promise.resolve(),
    options,
  };
}

/**
 * One use of a connection, from `connect` to `release`, which ends at the deadline of the monotonic clock. An outage begins when a query is not
 * answered by then, and ends with an answer; the connection of the query is closed.
 */
class Session implements PostgresPoolClient {
  readonly #client: PgClient;
  readonly #deadline: number;
  readonly #outage: Outage;
  #endedBy: StoreUnavailableError | undefined;

  constructor(client: PgClient, deadline: number, outage: Outage) {
    this.#client = client;
    this.#deadline = deadline;
    this.#outage = outage;
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
    release(this.#client, this.#endedBy !== undefined);
  }

  async #run<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    if (this.#endedBy !== undefined) throw this.#endedBy;
    const remainingMs = this.#deadline - steadyClock.now();
    try {
      if (remainingMs <= 0) throw new Error('timeout of the transaction');
      const query = { text, values: [...values], types, query_timeout: Math.ceil(remainingMs) };
      const result = await this.#client.query<R>(query);
      this.#outage.end();
      return result;
    } catch (thrown) {
      const error = toError(thrown); // the application's own pool may throw any value
      const unavailable = toUnavailable(error);
      if (unavailable !== undefined && isUnanswered(error)) this.#outage.begin(unavailable);
      if (unavailable !== undefined && endsConnection(error)) this.#endedBy = unavailable;
      throw unavailable ?? error;
    }
  }
}

/** The SQLSTATE of a database that has no connection to spare: those that are open go on working. */
const tooManyConnections = '53300';

/** The pause between two tries to reach the database during an outage, in milliseconds. */
const pauseMs = 500;

/**
 * Whether the database can be used: an outage begins when it was not reached, or has not answered, and ends with the next answer. While it
 * lasts, one caller in half a second tries, and the others are refused at once.
 */
export class Outage {
  #error: StoreUnavailableError | undefined;
  #nextTryAt = 0;

  /** @throws StoreUnavailableError the error that began the outage, if it lasts and the database was tried in the last half second */
  throwIfUnavailable(): void {
    if (this.#error !== undefined && steadyClock.now() < this.#nextTryAt) throw this.#error;
  }

  begin(error: StoreUnavailableError): void {
    this.#error ??= error;
    this.beginTry();
  }

  beginTry(): void {
    this.#nextTryAt = steadyClock.now() + pauseMs;
  }

  end(): void {
    this.#error = undefined;
  }
}

function isUnanswered(error: Error): boolean {
  return error.message === 'Query read timeout';
}

/** SQLSTATEs after which a new connection may work: connection failures, a server that stops or starts, or takes no writes. */
const connectionStates = /^(?:08|57P0|25006)/;

/** Whether the connection cannot be used after this error. */
function endsConnection(error: Error): boolean {
  if (!(error instanceof DatabaseError)) return true;
  return ['FATAL', 'PANIC'].includes(error.severity ?? '') || connectionStates.test(error.code ?? '');
}

/**
 * SQLSTATEs of a database that cannot work now: connection, resources, shutdown and start, disk, configuration, damage,
 * statement timeout, read-only transaction, serialization failure, deadlock, lock.
 */
const unavailableStates = /^(?:08|53|57P|58|F0|XX00[12]|57014|25006|40001|40P01|55P03)/;

/** The `StoreUnavailableError` for an error of the database; undefined when the query is at fault. */
function toUnavailable(error: Error): StoreUnavailableError | undefined {
  if (error instanceof StoreUnavailableError) return error;
  if (error instanceof TypeError || error instanceof RangeError) return undefined;
  const isDatabaseError = error instanceof DatabaseError;
  if (isDatabaseError && !unavailableStates.test(error.code ?? '')) return undefined;
  return new StoreUnavailableError(reasonOf(error), { cause: error });
}

/** The error's SQLSTATE or system error code. For an error without a code: `timeout` or `connection_lost`. */
function reasonOf(thrown: unknown): string {
  const error = toError(thrown);
  const code = String(error.code ?? '');
  if (code !== '') return code;
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return error.message.includes('timeout') ? 'timeout' : 'connection_lost';
}
