import { randomUUID } from 'node:crypto';
import { connectTimeoutMs, release, type Connections, type PgClient, type PgNotification } from './postgres-pool.ts';
import type { TablePlace } from './table-names.ts';

/** The channel on which the processes of one store notify each other of saved checkouts. */
export function channelOf({ schema = '', tablePrefix }: TablePlace): string {
  return `${schema}.${tablePrefix}saved`;
}

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
export function listen(
  connections: Connections,
  channel: string,
  { onMissed, onNotice }: Pick<ConnectionEvents, 'onMissed' | 'onNotice'>,
): () => void {
  let stop: () => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const start = (): void => {
    stop = openConnection(connections, channel, {
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
function openConnection(
  { connectToListen }: Connections,
  channel: string,
  { onMissed, onNotice, onLost }: ConnectionEvents,
): () => void {
  let client: PgClient | undefined;
  const pingChannel = `pay_invoice_ping_${randomUUID().replaceAll('-', '')}`;
  let isOpen = true;
  const isClosed = (): boolean => !isOpen; // read again after each wait
  let hasArrived = false;
  const close = (): void => {
    isOpen = false;
    clearTimeout(timer);
    if (client !== undefined) release(client, true);
  };
  const fail = (isSilent: boolean): void => {
    if (!isOpen) return;
    close();
    onLost(isSilent);
  };
  let timer = setTimeout(() => fail(false), connectTimeoutMs).unref();
  const sendPing = (): void => {
    hasArrived = false;
    client?.query({ text: `notify ${pingChannel}` }).catch(() => fail(false));
    // What arrived while this process was busy is read before the check.
    timer = setTimeout(() => setImmediate(check), pingTimeoutMs).unref();
  };
  const check = (): void => {
    if (!hasArrived) fail(true);
  };
  const onNotification = ({ channel: name, payload = '' }: PgNotification): void => {
    if (!isOpen) return;
    if (name === channel) {
      onNotice(payload);
      return;
    }
    hasArrived = true;
    clearTimeout(timer);
    timer = setTimeout(sendPing, pingMs).unref();
  };
  const begin = async (): Promise<void> => {
    const connected = await connectToListen();
    if (isClosed()) {
      release(connected, true);
      return;
    }
    client = connected;
    client.on('notification', onNotification);
    client.on('end', () => fail(false));
    await client.query({ text: 'set synchronous_commit = off' }); // a ping waits for no disk
    for (const name of [pingChannel, channel]) await client.query({ text: `listen "${name}"` });
    if (isClosed()) return;
    clearTimeout(timer);
    onMissed();
    sendPing();
  };
  begin().catch(() => fail(false));
  return close;
}
