import { steadyClock, systemClock } from '../base/clock.ts';
import { systemRandom } from '../base/random.ts';
import { connectTimeoutMs, release, type Connections, type PgClient, type PgNotification } from './postgres-pool.ts';
import type { TablePlace } from './table-names.ts';

/** The database's time in milliseconds since 1970, in SQL. */
export const databaseTime = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** The channel on which the processes of one store notify each other of saved checkouts. */
export function channelOf({ schema = '', tablePrefix }: TablePlace): string {
  return `${schema}.${tablePrefix}saved`;
}

/** The second pause between a lost connection and the next attempt to listen, which is made at once. It doubles each time. */
const reconnectMs = 200;
const maxReconnectMs = 10_000;
/** The pause between two pings: notifications of the connection to itself, which also measure the database's time. */
const pingMs = 1200;
/** A ping does not wait for the disk. The setting ends with the transaction of the statement. */
const pingText = `select pg_notify($1, ''), set_config('synchronous_commit', 'off', true), ${databaseTime} as now`;
/** A connection on which a ping does not arrive within this time is replaced: a silent one is noticed within 1.9 s. */
const pingTimeoutMs = 700;

interface ListenerEvents {
  /** Called after each new connection, because notifications before it were lost. */
  readonly onMissed: () => void;
  /** Called with the payload of each notification on the channel. */
  readonly onPayload: (payload: string) => void;
  /** Called with the database's time, and with the time of `steadyClock` when it was asked for. */
  readonly onTime: (now: number, sentAt: number) => void;
}

/**
 * Listens on a separate connection until the returned function is called. Replaces the connection when it breaks, cannot be
 * made, or stays silent.
 */
export function listenForNotifications(
  { connectApart }: Connections,
  channel: string,
  { onMissed, onPayload, onTime }: ListenerEvents,
): () => void {
  let close = (): void => undefined;
  let pauseMs = 0;
  const connect = (): void => {
    let client: PgClient | undefined;
    const pingChannel = `pay_invoice_ping_${Buffer.from(systemRandom.bytes(16)).toString('hex')}`;
    let isOpen = true;
    const isClosed = (): boolean => !isOpen; // a function: TypeScript does not expect that `isOpen` changes during an await
    let hasPingArrived = false;
    close = () => {
      isOpen = false;
      cancelTimer();
      if (client !== undefined) release(client, true);
      client = undefined;
    };
    const fail = (): void => {
      if (!isOpen) return;
      close();
      cancelTimer = systemClock.schedule(pauseMs, connect, true);
      pauseMs = Math.min(Math.max(pauseMs * 2, reconnectMs), maxReconnectMs);
    };
    let cancelTimer = systemClock.schedule(connectTimeoutMs, fail, true);
    const sendPing = (): void => {
      hasPingArrived = false;
      const sentAt = steadyClock.now();
      const ping = client?.query<{ now: string }>({ text: pingText, values: [pingChannel] });
      ping?.then(({ rows: [row] }) => row && onTime(Number(row.now), sentAt)).catch(fail);
      // `setImmediate`: notifications that arrived while this process was busy are read before the check.
      cancelTimer = systemClock.schedule(pingTimeoutMs, () => void setImmediate(checkPing), true);
    };
    const checkPing = (): void => {
      if (!hasPingArrived) fail();
    };
    const onNotification = ({ channel: name, payload = '' }: PgNotification): void => {
      if (!isOpen) return;
      if (name === channel) {
        onPayload(payload);
        return;
      }
      hasPingArrived = true;
      pauseMs = 0;
      cancelTimer();
      cancelTimer = systemClock.schedule(pingMs, sendPing, true);
    };
    const connectAndListen = async (): Promise<void> => {
      const connected = await connectApart(connectTimeoutMs);
      if (isClosed()) {
        release(connected, true);
        return;
      }
      client = connected;
      client.on('notification', onNotification);
      client.on('end', fail);
      for (const name of [pingChannel, channel]) await client.query({ text: `listen "${name}"` });
      if (isClosed()) return;
      cancelTimer();
      onMissed();
      sendPing();
    };
    connectAndListen().catch(fail);
  };
  connect();
  return () => close();
}
