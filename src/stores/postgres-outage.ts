import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { DatabaseError, TypeOverrides } from 'pg';
import { steadyClock } from '../base/clock.ts';
import { toError } from '../base/thrown-value.ts';
import { systemRandom } from '../base/random.ts';
import { StoreUnavailableError } from '../server.ts';
import { release, type Connections, type PgClient } from './postgres-pool.ts';

/** Reads `bigint` as a number, which holds milliseconds since 1970 exactly. */
const types = new TypeOverrides();
types.setTypeParser(20, Number);

/** The longest pause between two checks of whether the database answers again. */
const probePauseMs = 500;

/** What Kysely would give a client of its own, by which it cancels queries; nothing here asks for that. */
const options = {};

/** A pool without a time limit for queries. */
export function unboundedPool({ connect, close }: Connections): PostgresPool {
  return { connect: async () => new Session(await connect(), undefined), end: close, options };
}

/**
 * A pool in which one use of a connection, with the wait for it, takes at most `maxUseMs` milliseconds. A failure of the database,
 * unlike an error in a query, rejects with `StoreUnavailableError`.
 */
export function limitedPool({ connect }: Connections, outage: Outage, maxUseMs: number): PostgresPool {
  return {
    async connect() {
      const deadline = steadyClock.now() + maxUseMs;
      outage.throwIfUnavailable();
      try {
        const client = await connect(maxUseMs);
        return new Session(client, { deadline, onUnanswered: () => outage.suspect() });
      } catch (thrown) {
        const error = toError(thrown);
        const unavailable = new StoreUnavailableError(reasonOf(error), { cause: error });
        if (isUnreachable(error)) outage.begin(unavailable);
        else if (unavailable.reason === 'timeout') outage.suspect();
        throw unavailable;
      }
    },
    end: () => Promise.resolve(),
    options,
  };
}

interface SessionLimit {
  /** When the use of the connection ends, by the monotonic clock. */
  readonly deadline: number;
  /** Called when the database has not answered a query by then. */
  readonly onUnanswered: () => void;
}

/** One use of a connection, from `connect` to `release`. After an unanswered query, the connection is closed. */
class Session implements PostgresPoolClient {
  readonly #client: PgClient;
  readonly #limit: SessionLimit | undefined;
  #endedBy: StoreUnavailableError | undefined;

  constructor(client: PgClient, limit: SessionLimit | undefined) {
    this.#client = client;
    this.#limit = limit;
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
    const remainingMs = this.#limit && this.#limit.deadline - steadyClock.now();
    try {
      if (remainingMs !== undefined && remainingMs <= 0) throw new Error('timeout of the transaction');
      const limit = remainingMs === undefined ? {} : { query_timeout: Math.ceil(remainingMs) };
      return await this.#client.query<R>({ text, values: [...values], types, ...limit });
    } catch (thrown) {
      const error = toError(thrown); // the application's own pool may throw any value
      if (isUnanswered(error)) this.#limit?.onUnanswered();
      const unavailable = toUnavailable(error);
      if (unavailable !== undefined && endsConnection(error)) this.#endedBy = unavailable;
      throw unavailable ?? error;
    }
  }
}

/**
 * An outage of the database. Keeps its error, and probes the database in the background until it answers. A query that is not
 * answered only causes a probe, because it may wait for a lock.
 */
export class Outage {
  readonly #connections: Connections;
  #error: StoreUnavailableError | undefined;
  #isProbing = false;
  #cancelProbe = (): void => undefined;
  #isEnded = false;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** @throws StoreUnavailableError the error that began the outage, while the outage lasts */
  throwIfUnavailable(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  begin(error: StoreUnavailableError): void {
    if (this.#isEnded) return;
    this.#error ??= error;
    this.suspect();
  }

  /** Probes the database, and begins an outage if it does not answer. */
  suspect(): void {
    if (this.#isEnded || this.#isProbing) return;
    this.#isProbing = true;
    void this.#probeUntilAnswered();
  }

  end(): void {
    this.#isEnded = true;
    this.#error = undefined;
    this.#cancelProbe();
  }

  async #probeUntilAnswered(): Promise<void> {
    try {
      await probe(this.#connections);
      this.#error = undefined;
      this.#isProbing = false;
    } catch (thrown) {
      const error = toError(thrown);
      if (this.#isEnded) return;
      if (this.#error === undefined && !isUnreachable(error)) {
        this.#isProbing = false;
        return;
      }
      this.#error ??= toUnavailable(error) ?? new StoreUnavailableError('timeout');
      const pauseMs = probePauseMs * (0.5 + systemRandom.number() / 2);
      this.#cancelProbe = steadyClock.schedule(pauseMs, () => void this.#probeUntilAnswered(), true);
    }
  }
}

/** How long a probe waits for a connection, and then for the answer. */
const probeTimeoutMs = 1000;

/** Resolves when the database answers a query on a new connection. */
async function probe({ connectApart }: Connections): Promise<void> {
  const client = await connectApart(probeTimeoutMs);
  try {
    await client.query({ text: 'select 1', query_timeout: probeTimeoutMs });
  } finally {
    release(client, true);
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

/** Whether the database could not be reached. False when only all connections were in use. */
function isUnreachable(error: Error): boolean {
  const isAtConnectionLimit = error instanceof DatabaseError && error.code === '53300';
  return !isAtConnectionLimit && error.message !== 'timeout exceeded when trying to connect';
}

/** The error's SQLSTATE or system error code. For an error without a code: `timeout` or `connection_lost`. */
function reasonOf(thrown: unknown): string {
  const error = toError(thrown);
  const code = String(error.code ?? '');
  if (code !== '') return code;
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return error.message.includes('timeout') ? 'timeout' : 'connection_lost';
}
