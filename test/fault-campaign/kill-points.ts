import { invoicesOf } from '../../src/server/domain/select-invoice-attempt.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { CheckoutServerOptions } from '../../src/server.ts';

/** The points at which a process of the shop can be killed, as by `kill -9`. */
export const killPoints = [
  'intent committed', // and the service not yet called
  'call under way',
  'service responded', // and the invoice not yet committed
  'invoice committed', // and no response sent to the payer
  'status fetched', // and not yet committed
  'outcome committed', // and not yet delivered
  'outcome received', // by the shop, which has not stored it yet
  'any moment',
] as const;
export type KillPoint = (typeof killPoints)[number];

/** When a process is killed. */
export interface Kill {
  readonly point: KillPoint;
  /** The process is killed the `nth` time that it reaches the point. */
  readonly nth: number;
  /** The delay after the start of the call (`call under way`) or of the process (`any moment`), in real milliseconds. */
  readonly afterMs: number;
}

/** The ports of the checkout server in which a test can kill the process, or return a wrong result. */
export type Ports = Pick<CheckoutServerOptions, 'service' | 'store' | 'onOutcome'>;

/** Wraps the ports so that they call `killProcess` when the process reaches the point. */
export function withKill({ service, store, onOutcome }: Ports, kill: Kill, killProcess: () => void): Ports {
  let remainingTimes = kill.nth;
  const createdExternalIds = new Set<string | undefined>();
  const isAt = (point: KillPoint): boolean => point === kill.point && (remainingTimes -= 1) === 0;
  const killAt = (point: KillPoint): void => {
    if (isAt(point)) killProcess();
  };
  if (kill.point === 'any moment') setTimeout(killProcess, kill.afterMs);
  return {
    service: {
      ...service,
      async createInvoice(request, signal) {
        killAt('intent committed');
        const call = service.createInvoice(request, signal);
        if (isAt('call under way')) {
          await Promise.race([delay(kill.afterMs), call.catch(() => undefined)]);
          killProcess();
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
