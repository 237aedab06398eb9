import { setTimeout as delay } from 'node:timers/promises';
import type { CheckoutServerOptions } from '../../src/server.ts';

/** Where a process of the shop can be made to die, as `kill -9` would kill it. */
export const killPoints = [
  'intent committed', // and the call not yet made
  'call under way',
  'service answered', // and the invoice not yet committed
  'invoice committed', // and the payer not yet answered
  'status fetched', // and not yet committed
  'outcome committed', // and not yet delivered
  'outcome received', // by the shop, which has not stored it yet
  'any moment',
] as const;
export type KillPoint = (typeof killPoints)[number];

/** One death of a process. */
export interface Kill {
  readonly point: KillPoint;
  /** At the how manieth time that the process comes to the point. */
  readonly nth: number;
  /** How long after the beginning of a call, or after the start of the process, in real milliseconds. */
  readonly afterMs: number;
}

/** The ports of the checkout server at which a test can kill its process, or give it a wrong result. */
export type Ports = Pick<CheckoutServerOptions, 'service' | 'store' | 'onOutcome'>;

/** The same ports, which end the process by `die` when it comes to the point. */
export function withKill({ service, store, onOutcome }: Ports, kill: Kill, die: () => void): Ports {
  let left = kill.nth;
  const answered = new Set<string | undefined>();
  const isAt = (point: KillPoint): boolean => point === kill.point && (left -= 1) === 0;
  const at = (point: KillPoint): void => {
    if (isAt(point)) die();
  };
  if (kill.point === 'any moment') setTimeout(die, kill.afterMs);
  return {
    service: {
      ...service,
      async createInvoice(request, signal) {
        at('intent committed');
        const call = service.createInvoice(request, signal);
        if (isAt('call under way')) {
          await Promise.race([delay(kill.afterMs), call.catch(() => undefined)]);
          die();
        }
        const invoice = await call;
        at('service answered');
        answered.add(request.external_id);
        return invoice;
      },
      async fetchInvoices(ids, signal) {
        const invoices = await service.fetchInvoices(ids, signal);
        at('status fetched');
        return invoices;
      },
    },
    store: {
      ...store,
      async save(checkout, outcomes) {
        const isSaved = await store.save(checkout, outcomes);
        if (!isSaved) return false;
        const made = checkout.attempts.filter(({ stage }) => stage === 'created');
        if (made.some(({ externalId }) => answered.delete(externalId))) at('invoice committed');
        if (outcomes.length > 0) at('outcome committed');
        return true;
      },
      async markOutcomeDelivered(id, time) {
        at('outcome received');
        await store.markOutcomeDelivered(id, time);
      },
    },
    onOutcome,
  };
}
