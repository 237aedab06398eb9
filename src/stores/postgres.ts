import { randomUUID } from 'node:crypto';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Client, Pool, TypeOverrides } from 'pg';
import { retry } from './again.ts';
import { DatabaseOpenError, type Database } from './database.ts';
import { migrate, type Migration } from './migrate.ts';
import type { CheckoutTables } from './schema.ts';

const channel = 'pay_invoice_saved';
const migrationLock = 20261120;
/** How long after a lost connection notices are asked for again, in milliseconds. */
const listenAgainMs = 1000;
/** How often a process tells itself something; when it does not hear that before the next time, it hears nothing. */
const pingMs = 5000;

/** Whole numbers come as numbers: times in milliseconds are far from where a number stops being exact. */
const types = new TypeOverrides();
types.setTypeParser(20, Number);

/** Opens a PostgreSQL database that several processes share: they divide the work by row locks, and wake each other. */
export async function openPostgres(url: string, migrations: readonly Migration[]): Promise<Database> {
  const pool = new Pool({
    connectionString: url,
    types,
    max: 10,
    connectionTimeoutMillis: 5000,
    statement_timeout: 10_000,
  });
  pool.on('error', () => undefined); // an idle connection broke: the next query opens another
  const db = new Kysely<CheckoutTables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await migrate(db, migrations, (transaction) =>
      sql`select pg_advisory_xact_lock(${migrationLock})`.execute(transaction),
    );
  } catch (error) {
    await db.destroy();
    throw new DatabaseOpenError(`the database of DATABASE_URL cannot be opened: ${reasonOf(error)}`, { cause: error });
  }
  const self = randomUUID();
  return {
    db,
    rowLocks: true,
    writeWithoutSync: (change) => retry(() => change(db), isUndone), // it waits in its own process
    read: (work) => retry(work, isBroken),
    write: (work) => retry(work, isUndone),
    announce: async (transaction, checkoutId) => {
      await sql`select pg_notify(${channel}, ${`${self} ${checkoutId}`})`.execute(transaction);
    },
    listen(heard, missed) {
      return listen({
        url,
        ping: () => sql`select pg_notify(${channel}, ${self})`.execute(db),
        pinged: (notice) => notice === self,
        heard(notice) {
          const [sender, checkoutId] = notice.split(' ');
          if (sender !== self && checkoutId !== undefined) heard(checkoutId);
        },
        missed,
      });
    },
    close: () => db.destroy(),
  };
}

interface Listening {
  readonly url: string;
  /** Sends what `listen` has to hear. */
  readonly ping: () => Promise<unknown>;
  readonly pinged: (notice: string) => boolean;
  readonly heard: (notice: string) => void;
  readonly missed: () => void;
}

/**
 * Listens on a connection of its own, which is made again when it breaks or falls silent; what was told until then is
 * missed.
 */
function listen({ url, ping, pinged, heard, missed }: Listening): () => void {
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  /** Whether what this process told itself last has come. */
  let isAlive = false;
  const connect = async (): Promise<void> => {
    const current = new Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: 5000 });
    client = current;
    current.on('notification', ({ payload = '' }) => {
      if (pinged(payload)) isAlive = true;
      else heard(payload);
    });
    current.on('error', () => undefined); // `end` follows
    current.once('end', () => leave(current));
    try {
      await current.connect();
      await current.query(`listen ${channel}`);
      isAlive = true;
      missed();
    } catch {
      leave(current);
    }
  };
  const leave = (lost: Client | undefined): void => {
    if (lost === undefined || lost !== client) return;
    client = undefined;
    isAlive = false;
    void lost.end().catch(() => undefined); // it is gone either way
    if (!isOver) timer = setTimeout(start, listenAgainMs).unref();
  };
  const start = (): void => void connect().catch(() => undefined); // another one is on its way
  const pulse = setInterval(() => {
    if (!isAlive) leave(client);
    isAlive = false;
    void ping().catch(() => undefined); // then it is not heard
  }, pingMs).unref();
  start();
  return () => {
    isOver = true;
    clearTimeout(timer);
    clearInterval(pulse);
    leave(client);
  };
}

/** A deadlock, or a serialization failure: nothing of the transaction was done. */
function isUndone(error: unknown): boolean {
  return ['40P01', '40001'].includes(codeOf(error));
}

/** The connection is gone, or the server is just stopping or starting. */
function isBroken(error: unknown): boolean {
  const isSevered = error instanceof Error && error.message.startsWith('Connection terminated');
  return isSevered || /^(?:08...|57P0[123]|ECONN(?:RESET|REFUSED)|EPIPE)$/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** The reason in one line; the driver puts no password into it. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return String(error instanceof Error ? error.message : error).replace(/\s*\n[^]*/, '');
}
