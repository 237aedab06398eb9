export const rulesFile = 'examples/prometheus/pay-invoice.rules.yml';

// Series with one sample every 15 s, in promtool's notation: `0+2x200` starts at 0 and grows by 2, 200 times; `_` is no sample.

const steady = (value: number): string => `${value}x200`;
const growing = (by: number): string => `0+${by}x200`;
/** A counter that appears after 35 minutes, with 1. */
const firstEvent = '_x140 1x60';

/** The metrics of a healthy shop. */
export const healthySeries: Readonly<Record<string, string>> = {
  pay_invoice_poll_overdue_seconds: steady(1),
  pay_invoice_outcome_oldest_undelivered_seconds: steady(0),
  pay_invoice_outcomes_undelivered: steady(0),
  pay_invoice_outcomes_delivering: steady(0),
  pay_invoice_stale: steady(0),
  pay_invoice_long_polls: steady(100),
  nodejs_eventloop_lag_p99_seconds: steady(0.02),
  'pay_invoice_creates_total{result="created"}': growing(10),
  'pay_invoice_creates_total{result="rejected"}': growing(1),
  'pay_invoice_creates_total{result="in_doubt"}': steady(3),
  'pay_invoice_invoices_created_total{method="card"}': growing(10),
  'pay_invoice_invoices_paid_total{method="card"}': growing(1),
  'pay_invoice_invoices_created_total{method="sbp"}': growing(10),
  'pay_invoice_invoices_paid_total{method="sbp"}': growing(1),
  'pay_invoice_service_calls_total{operation="FetchInvoices",outcome="ok"}': growing(10),
  'pay_invoice_service_calls_total{operation="CreateInvoice",outcome="refused"}': growing(1),
  'pay_invoice_outcome_deliveries_total{kind="paid",result="ok"}': growing(9),
  'pay_invoice_requests_total{route="checkout",status="200"}': growing(100),
  'pay_invoice_requests_total{route="invoice",status="429"}': growing(1),
  'pay_invoice_log_events_total{level="info",event="outcome_delivered"}': growing(9),
  'pay_invoice_log_events_total{level="warn",event="clock_jumped"}': steady(1),
};

/** A trouble: the series that differ from those of a healthy shop (an empty text removes a series), and when the alert fires. */
interface Trouble {
  readonly series: Readonly<Record<string, string>>;
  readonly at?: string;
}

const troubleOfLogEvent = (level: 'error' | 'warn', event: string, values: string): Trouble => ({
  series: { [`pay_invoice_log_events_total{level="${level}",event="${event}"}`]: values },
});

/** The trouble that makes each alert fire. */
export const troubles: Readonly<Record<string, Trouble>> = {
  PayInvoiceMetricsMissing: { series: { pay_invoice_poll_overdue_seconds: '' } },
  PayInvoicePollerStopped: { series: { pay_invoice_poll_overdue_seconds: '0+15x200' } },
  PayInvoiceOutcomesNotDelivered: { series: { pay_invoice_outcome_oldest_undelivered_seconds: '0+15x200' } },
  PayInvoiceOutcomesPileUp: { series: { pay_invoice_outcomes_undelivered: growing(2) } },
  PayInvoiceOutcomeHandlersHang: { series: { pay_invoice_outcomes_delivering: steady(100) } },
  PayInvoiceDatabaseUnavailable: {
    ...troubleOfLogEvent('error', 'database_unavailable', '_x155 1x10 2x10 3x25'),
    at: '39m',
  },
  PayInvoiceServiceUnavailable: { series: { pay_invoice_stale: steady(1) } },
  PayInvoiceServiceRefuses: {
    series: { 'pay_invoice_service_calls_total{operation="FetchInvoices",outcome="refused"}': growing(1) },
  },
  PayInvoiceCreatesFail: { series: { 'pay_invoice_creates_total{result="rejected"}': growing(5) } },
  PayInvoiceCreatesInDoubt: { series: { 'pay_invoice_creates_total{result="in_doubt"}': growing(1) } },
  PayInvoiceCreateUnresolved: { series: { 'pay_invoice_creates_total{result="unresolved"}': firstEvent } },
  PayInvoicePaymentNeedsPerson: {
    series: { 'pay_invoice_outcome_deliveries_total{kind="amount_mismatch",result="ok"}': firstEvent },
  },
  PayInvoiceNobodyPays: { series: { 'pay_invoice_invoices_paid_total{method="sbp"}': steady(0) } },
  PayInvoiceAnswerNotUnderstood: troubleOfLogEvent('error', 'status_unknown', firstEvent),
  PayInvoiceWorkerFailed: troubleOfLogEvent('error', 'status_poller_failed', growing(1)),
  PayInvoiceClockJumped: troubleOfLogEvent('warn', 'clock_jumped', '0x150 1x50'),
  PayInvoiceRequestsFail: { series: { 'pay_invoice_requests_total{route="checkout",status="500"}': growing(1) } },
  PayInvoiceRequestsLimited: {
    series: { 'pay_invoice_requests_total{route="invoice",status="429"}': growing(30) },
  },
  PayInvoiceLongPollsNearLimit: { series: { pay_invoice_long_polls: steady(19_000) } },
  PayInvoiceEventLoopSlow: { series: { nodejs_eventloop_lag_p99_seconds: steady(0.4) } },
};
