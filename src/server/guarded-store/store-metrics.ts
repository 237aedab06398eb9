import type { Clock } from '../../base/clock.ts';
import type { CheckoutStore, DueAttempt } from '../ports/checkout-store.ts';
import type { OutcomeCounts } from '../ports/outcome-outbox.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** The upper bounds of histogram buckets, in seconds. */
const lagBounds = [0.1, 0.25, 0.5, 1, 2, 4, 10, 30, 60];
const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export function createStoreMetrics(store: CheckoutStore, metrics: Metrics, time: Pick<Clock, 'now'>) {
  const secondsSince = (at: number | null | undefined): number =>
    at == null ? 0 : Math.max(0, time.now() - at) / 1000;
  let counting: Promise<OutcomeCounts> | undefined;
  /** The gauges of one scrape share one count. */
  const countOutcomes = (): Promise<OutcomeCounts> =>
    (counting ??= store.countOutcomes().finally(() => (counting = undefined)));
  const countDue = metrics.counter(
    'pay_invoice_invoices_due_total',
    'Due invoices and creates in doubt that were claimed.',
  );
  const recordLag = metrics.histogram(
    'pay_invoice_poll_lag_seconds',
    'How long after its due time an invoice was claimed by the status poller.',
    lagBounds,
  );
  const recordDuration = metrics.histogram(
    'pay_invoice_store_call_duration_seconds',
    'How long commits (insert and save), loads and claims of the store took, with their waits for others.',
    durationBounds,
  );
  metrics.gauge(
    'pay_invoice_poll_overdue_seconds',
    'For how long the earliest due invoice has been due; more than a few seconds: no process polls.',
    async () => secondsSince(await store.nextRunAt()),
  );
  metrics.gauge(
    'pay_invoice_outcome_oldest_undelivered_seconds',
    'Age of the oldest undelivered outcome; 0 when there is none.',
    async () => secondsSince((await countOutcomes()).oldestAt),
  );
  metrics.gauge(
    'pay_invoice_outcomes_abandoned',
    'Outcomes whose delivery was given up; they are kept.',
    async () => (await countOutcomes()).abandoned,
  );
  metrics.gauge(
    'pay_invoice_outcomes_undelivered',
    'Outcomes that are not delivered yet.',
    async () => (await countOutcomes()).undelivered,
  );
  return {
    recordCall: (call: string, ms: number): void => recordDuration(ms / 1000, { call }),
    countConflict: metrics.counter(
      'pay_invoice_store_conflicts_total',
      'Saves rejected because the checkout had been saved since it was loaded; they are repeated.',
    ),
    countClaim(claimed: readonly DueAttempt[], now: number): void {
      if (claimed.length > 0) countDue({}, claimed.length);
      for (const { runAt } of claimed) recordLag(Math.max(0, now - runAt) / 1000);
    },
  };
}
