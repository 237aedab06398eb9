import { unpaidAttempts } from '../domain/select-invoice-attempt.ts';
import { errorFields } from '../ports/log.ts';
import type { CheckoutRecord, CheckoutStore } from '../ports/checkout-store.ts';
import type { ServerContext } from '../server-context.ts';
import { hintIntervalMs, type FetchScheduler } from './viewers-and-webhook-hints.ts';

/** Makes the unpaid invoices of a checkout due when a webhook arrives for one of them. */
export interface WebhookExpediter {
  /** Makes the invoices due a second after their last fetch at the earliest. Within a second after the last webhook of the checkout, does so once that second is over. */
  expedite(record: CheckoutRecord): Promise<void>;
  /** Makes invoices due now that would be due at the end of a second. Another process then fetches them. */
  stop(): Promise<void>;
}

/** @param onDue - called when invoices are due */
export function createWebhookExpediter(
  { store, clock, time, log }: Pick<ServerContext, 'store' | 'clock' | 'time' | 'log'>,
  scheduler: Pick<FetchScheduler, 'noteWebhook'>,
  onDue: () => void,
): WebhookExpediter {
  /** Cancels the postponed expedite of a checkout. */
  const postponed = new Map<string, () => void>();

  const logFailure = (error: unknown): void => log('warn', 'expedite_failed', errorFields(error));

  const expediteLater = async (checkoutId: string): Promise<void> => {
    postponed.delete(checkoutId);
    const record = await store.load(checkoutId);
    if (record) await expedite(record);
  };

  const expediteNow = async (checkoutId: string): Promise<void> => {
    const record = await store.load(checkoutId);
    if (record) await expediteUnpaid(store, record, time.now());
  };

  const expedite = async (record: CheckoutRecord): Promise<void> => {
    const { id } = record;
    const unpaid = unpaidAttempts(record);
    if (unpaid.length === 0) return;
    const at = Math.max(time.now(), ...unpaid.map(({ checkedAt }) => (checkedAt ?? 0) + hintIntervalMs));
    if (scheduler.noteWebhook(id, at)) {
      await expediteUnpaid(store, record, at);
      onDue();
    } else if (!postponed.has(id)) {
      // Another process may have fetched the invoice since the last webhook, before the payment that this webhook is about.
      postponed.set(
        id,
        clock.schedule(hintIntervalMs, () => void expediteLater(id).catch(logFailure), true),
      );
    }
  };

  return {
    expedite,
    async stop() {
      const checkoutIds = [...postponed.keys()];
      for (const cancel of postponed.values()) cancel();
      postponed.clear();
      await Promise.all(checkoutIds.map((id) => expediteNow(id).catch(logFailure)));
    },
  };
}

/**
 * Makes the unpaid invoices due at `at`, even those that are no longer polled, because a late payment is possible. An invoice that
 * is being fetched keeps its claim: the scheduler fetches it again, because that fetch may have begun before the payment.
 */
async function expediteUnpaid(
  store: Pick<CheckoutStore, 'expedite'>,
  record: CheckoutRecord,
  at: number,
): Promise<void> {
  await store.expedite([record.id], at, undefined, true);
}
