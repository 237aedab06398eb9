import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { connectTimeoutMs } from './postgres-outage.ts';

/** The channel on which processes notify each other of saved checkouts. */
export const channel = 'pay_invoice_saved';

/** The pause between a lost connection and the next attempt to listen. */
const reconnectMs = 200;
/** The pause between two pings: notifications of the connection to itself. */
const pingMs = 500;
/**
 * A connection on which a ping does not arrive within this time is replaced. With `pingMs` and the time in which all long
 * polls are woken, a silent connection costs less than 2 s.
 */
const pingTimeoutMs = 700;

/**
 * Listens on a connection of its own, which is replaced when it breaks or stays silent, until the returned function is
 * called. After each connection, `onMissed` is called: notifications in between are lost.
 */
export function listen(url: string, onMissed: () => void, onNotice: (notice: string) => void): () => void {
  let stop: () => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const start = (): void => {
    stop = openConnection(url, {
      onMissed,
      onNotice,
      onLost(isSilent) {
        timer = setTimeout(start, isSilent ? 0 : reconnectMs).unref();
      },
    });
  };
  start();
  return () => {
    clearTimeout(timer);
    stop();
  };
}

interface ConnectionEvents {
  readonly onMissed: () => void;
  readonly onNotice: (notice: string) => void;
  /** Called once, when the connection broke, could not be made, or is silent. Nothing is called after it. */
  readonly onLost: (isSilent: boolean) => void;
}

/** Opens one connection that listens. Returns how to close it, without `onLost`. */
function openConnection(url: string, { onMissed, onNotice, onLost }: ConnectionEvents): () => void {
  const client = new Client({
    connectionString: url,
    keepAlive: true,
    connectionTimeoutMillis: connectTimeoutMs,
  });
  const pingChannel = `pay_invoice_ping_${randomUUID().replaceAll('-', '')}`;
  let isOpen = true;
  let hasArrived = false;
  let timer: NodeJS.Timeout | undefined;
  const close = (): void => {
    isOpen = false;
    clearTimeout(timer);
    void client.end().catch(() => undefined); // the connection is not used any more
  };
  const fail = (isSilent: boolean): void => {
    if (!isOpen) return;
    close();
    onLost(isSilent);
  };
  const sendPing = (): void => {
    hasArrived = false;
    client.query(`notify ${pingChannel}`).catch(() => fail(false));
    // What arrived while this process was busy is read before the check.
    timer = setTimeout(() => setImmediate(check), pingTimeoutMs).unref();
  };
  const check = (): void => {
    if (!hasArrived) fail(true);
  };
  client.on('notification', ({ channel: name, payload = '' }) => {
    if (!isOpen) return;
    if (name === channel) {
      onNotice(payload);
      return;
    }
    hasArrived = true;
    clearTimeout(timer);
    timer = setTimeout(sendPing, pingMs).unref();
  });
  client.on('error', () => undefined); // `end` follows
  client.once('end', () => fail(false));
  const begin = async (): Promise<void> => {
    await client.connect();
    await client.query('set synchronous_commit = off'); // a ping waits for no disk
    for (const name of [pingChannel, channel]) await client.query(`listen ${name}`);
    if (!isOpen) return;
    onMissed();
    sendPing();
  };
  begin().catch(() => fail(false));
  return close;
}
