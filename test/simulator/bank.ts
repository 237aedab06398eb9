import type { SeededRandom } from '../support/seeded-random.ts';
import type { FaultName } from './plan.ts';
import { unlistedWord, type SimulatedService } from './service.ts';
import type { Shop } from './shop.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface EventParts {
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly service: SimulatedService;
  readonly shop: Shop;
  readonly has: (fault: FaultName) => boolean;
  readonly isQuiet: () => boolean;
}

const minuteMs = 60_000;

/** What the bank makes of a transfer. */
export async function settlePayment(parts: EventParts, invoiceId: string): Promise<void> {
  const { time, random, service, has, isQuiet } = parts;
  if (isQuiet()) return;
  if (has('bank holds payments') && random.chance(0.3)) {
    await service.setStatus(invoiceId, unlistedWord);
    await time.sleep(random.pick([1, 60, 60 * 60]) * minuteMs * (0.5 + random.next()));
    if (!isQuiet()) await service.setStatus(invoiceId, random.chance(0.7) ? 'PAID' : 'FAILED');
    return;
  }
  if (has('bank refuses payments') && random.chance(0.3)) {
    await service.setStatus(invoiceId, 'FAILED');
    return;
  }
  if (has('bank pays failed invoices') && random.chance(0.4)) {
    await service.setStatus(invoiceId, random.pick(['FAILED', 'EXPIRED']));
    await time.sleep(random.int(2, 90) * 1000);
  }
  if (!isQuiet()) await service.setStatus(invoiceId, 'PAID');
}

/** Somebody who knows the address of an invoice's notifications calls it 300 times, one call after another. */
export async function floodWithNotifications({ time, service, shop, isQuiet }: EventParts): Promise<void> {
  const invoice = [...service.invoices.values()].findLast(({ status }) => status === 'PENDING');
  if (invoice === undefined) return;
  const init = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
  for (let count = 0; count < 300 && !isQuiet(); count += 1) {
    await shop.handle(new Request(invoice.hookUrl, init), init.body, '198.51.100.2').catch(() => undefined);
    await time.sleep(2);
  }
}
