import { setTimeout as delay } from 'node:timers/promises';
import type { CheckoutServerOptions, Clock } from '../../../src/server.ts';
import { invoicesOf } from '../../../src/server/domain/checkout-status.ts';
import type { DatabaseLocation } from '../../support/open-database.ts';

/** The points at which a process of the shop can be killed, as by `kill -9`. */
export const killPoints = [
  'intent committed', // and the service not yet called
  'call under way',
  'service responded', // and the invoice not yet committed
  'invoice committed', // and no response sent to the payer
  'status fetched', // and not yet committed
  'outcome committed', // and not yet delivered
  'outcome received', // by the shop, and not yet marked as delivered
] as const;

/** Where a process is killed, when it reaches the point for the first time. */
export interface Kill {
  readonly point: (typeof killPoints)[number];
}

/** The settings that a process of the shop reads when it starts. */
export interface ShopSettings {
  readonly epoch: number;
  readonly database: DatabaseLocation;
  readonly serviceUrl: string;
  readonly token: string;
  /** The shop's own store: a line for each outcome that it has received. */
  readonly outcomeFile: string;
  readonly kill: Kill | null;
}

/** A message of a process: its port, the point at which it is killed, or why it could not start. */
export type ShopMessage =
  { readonly port: number } | { readonly killedAt: Kill['point'] } | { readonly failed: string };

/** How many seconds of the run's time pass in one real second: leases, deadlines and pauses are those of production. */
const speed = 8;

/** The clock of every program of a run that began at `epoch`, in milliseconds since 1970. */
export const createFastClock = (epoch: number): Clock => ({
  now: () => epoch + (Date.now() - epoch) * speed,
  schedule(ms, task, background = false) {
    const timer = setTimeout(task, ms / speed);
    if (background) timer.unref();
    return () => clearTimeout(timer);
  },
});

/** The ports of the checkout server in which a process can be killed. */
type Ports = Pick<CheckoutServerOptions, 'service' | 'store' | 'onOutcome'>;

/** Wraps the ports so that they call `killProcess` when the process reaches the point for the first time. */
export function withKill(ports: Ports, kill: Kill | null, killProcess: (kill: Kill) => void): Ports {
  if (kill === null) return ports;
  const { service, store, onOutcome } = ports;
  const createdExternalIds = new Set<string | undefined>();
  let isAlive = true;
  const killAt = (point: Kill['point']): void => {
    if (point !== kill.point || !isAlive) return;
    isAlive = false;
    killProcess(kill);
  };
  return {
    service: {
      ...service,
      async createInvoice(request, signal) {
        killAt('intent committed');
        const call = service.createInvoice(request, signal);
        if (kill.point === 'call under way') {
          await Promise.race([delay(5), call.catch(() => undefined)]);
          killAt('call under way');
        }
        const invoice = await call;
        killAt('service responded');
        createdExternalIds.add(request.external_id);
        return invoice;
      },
      async fetchInvoices(ids, signal) {
        const invoices = await service.fetchInvoices(ids, signal);
        killAt('status fetched');
        return invoices;
      },
    },
    store: {
      ...store,
      async save(checkout, outcomes) {
        const isSaved = await store.save(checkout, outcomes);
        if (!isSaved) return false;
        if (invoicesOf(checkout).some(({ externalId }) => createdExternalIds.delete(externalId)))
          killAt('invoice committed');
        if (outcomes.length > 0) killAt('outcome committed');
        return true;
      },
      async markOutcomeDelivered(id, time) {
        killAt('outcome received');
        await store.markOutcomeDelivered(id, time);
      },
    },
    onOutcome,
  };
}
