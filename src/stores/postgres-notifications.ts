import { systemClock } from '../base/clock.ts';
import { systemRandom } from '../base/random.ts';
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
 * A connection on which a ping does not arrive within this time is replaced. The sum of this time, `pingMs` and the time in
 * which all long polls are answered is less than 2 s, so a silent connection delays a notification by less than 2 s.
 */
const pingTimeoutMs = 700;

/**
 * Listens on a separate connection until the returned function is called. Replaces the connection when it breaks or stays
 * silent. Calls `onMissed` after each new connection, because notifications before it were lost.
 */
export function listenForNotifications(
  connections: Connections,
  channel: string,
  { onMissed, onPayload }: Pick<ConnectionEvents, 'onMissed' | 'onPayload'>,
): () => void {
  let closeConnection: () => void = () => undefined;
  let cancelReconnect = (): void => undefined;
  const connect = (): void => {
    closeConnection = openConnection(connections, channel, {
      onMissed,
      onPayload,
      onLost(isSilent) {
        cancelReconnect = systemClock.schedule(isSilent ? 0 : reconnectMs, connect, true);
      },
    });
  };
  connect();
  return () => {
    cancelReconnect();
    closeConnection();
  };
}

interface ConnectionEvents {
  readonly onMissed: () => void;
  /** Called with the payload of each notification on the channel. */
  readonly onPayload: (payload: string) => void;
  /** Called once, when the connection broke, could not be made, or is silent. No other event is called after it. */
  readonly onLost: (isSilent: boolean) => void;
}

/** Opens one connection that listens. Returns a function that closes it without a call of `onLost`. */
function openConnection(
  { connectToListen }: Connections,
  channel: string,
  { onMissed, onPayload, onLost }: ConnectionEvents,
): () => void {
  let client: PgClient | undefined;
  const pingChannel = `pay_invoice_ping_${Buffer.from(systemRandom.bytes(16)).toString('hex')}`;
  let isOpen = true;
  const isClosed = (): boolean => !isOpen; // a function: TypeScript does not expect that `isOpen` changes during an await
  let hasPingArrived = false;
  const close = (): void => {
    isOpen = false;
    cancelTimer();
    if (client !== undefined) release(client, true);
  };
  const fail = (isSilent: boolean): void => {
    if (!isOpen) return;
    close();
    onLost(isSilent);
  };
  let cancelTimer = systemClock.schedule(connectTimeoutMs, () => fail(false), true);
  const sendPing = (): void => {
    hasPingArrived = false;
    client?.query({ text: `notify ${pingChannel}` }).catch(() => fail(false));
    // `setImmediate`: notifications that arrived while this process was busy are read before the check.
    cancelTimer = systemClock.schedule(pingTimeoutMs, () => void setImmediate(checkPing), true);
  };
  const checkPing = (): void => {
    if (!hasPingArrived) fail(true);
  };
  const onNotification = ({ channel: name, payload = '' }: PgNotification): void => {
    if (!isOpen) return;
    if (name === channel) {
      onPayload(payload);
      return;
    }
    hasPingArrived = true;
    cancelTimer();
    cancelTimer = systemClock.schedule(pingMs, sendPing, true);
  };
  const connectAndListen = async (): Promise<void> => {
    const connected = await connectToListen();
    if (isClosed()) {
      release(connected, true);
      return;
    }
    client = connected;
    client.on('notification', onNotification);
    client.on('end', () => fail(false));
    await client.query({ text: 'set synchronous_commit = off' }); // so that a ping does not wait for the disk
    for (const name of [pingChannel, channel]) await client.query({ text: `listen "${name}"` });
    if (isClosed()) return;
    cancelTimer();
    onMissed();
    sendPing();
  };
  connectAndListen().catch(() => fail(false));
  return close;
}
