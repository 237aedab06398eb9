import type { Clock } from '../../../base/clock.ts';
import { ServiceError } from '../service/service-error.ts';
import type { WebhookSender } from './webhook-sender.ts';
import type { Invoice, Status } from './invoice.ts';
import type { InvoiceStore } from './invoice-store.ts';

/** Actions that change the status of an invoice: the payer pays or refuses it, or its time ends. */
export const invoiceActions = ['pay', 'fail', 'expire'] as const;
export type InvoiceAction = (typeof invoiceActions)[number];

/**
 * The new status for each action, and the statuses in which it is allowed. Payments can be late: an expired or failed
 * invoice can be paid. An action whose new status the invoice already has changes nothing.
 */
const transitions = {
  pay: { to: 'PAID', from: ['PENDING', 'EXPIRED', 'FAILED'] },
  fail: { to: 'FAILED', from: ['PENDING'] },
  expire: { to: 'EXPIRED', from: ['PENDING'] },
} as const;

/** The maximum delay of the timer. The system's clock may be set forward, and then a longer timer would fire too late. */
const maxTimerMs = 60_000;

/** Reads and changes invoices. Expires due invoices before each read, so that none is returned as pending after `expires_at`. */
export class InvoiceLifecycle {
  readonly #store: InvoiceStore;
  readonly #clock: Clock;
  readonly #webhooks: WebhookSender;
  #cancelTimer = (): void => undefined;

  constructor(store: InvoiceStore, clock: Clock, webhooks: WebhookSender) {
    this.#store = store;
    this.#clock = clock;
    this.#webhooks = webhooks;
    this.expireDue();
  }

  /** Expires invoices that are due, and sets a timer for the next one. */
  expireDue(): void {
    for (const invoice of this.#store.overdue(this.#clock.now())) this.setStatus(invoice, 'EXPIRED');
    this.scheduleExpiry();
  }

  /** Sets a timer for the next invoice that expires, so that its webhook is sent on time. */
  scheduleExpiry(): void {
    this.#cancelTimer();
    const nextExpiry = this.#store.nextExpiry();
    if (nextExpiry === undefined) return;
    const delay = Math.min(Math.max(0, nextExpiry - this.#clock.now()), maxTimerMs);
    this.#cancelTimer = this.#clock.schedule(delay, () => this.expireDue(), true);
  }

  find(id: string): Invoice | undefined {
    this.expireDue();
    return this.#store.find(id);
  }

  findByLink(code: string): Invoice | undefined {
    this.expireDue();
    return this.#store.findByLink(code);
  }

  /** The invoices in the order of the identifiers, each once. Unknown identifiers are left out. */
  findAll(ids: readonly string[]): readonly Invoice[] {
    this.expireDue();
    return [...new Set(ids)].flatMap((id) => this.#store.find(id) ?? []);
  }

  newest(count: number, externalId?: string): readonly Invoice[] {
    this.expireDue();
    return this.#store.newest(count, externalId);
  }

  /** Performs an action on an invoice. Throws a `ServiceError` when its status does not allow it. */
  perform(invoice: Invoice, action: InvoiceAction): Invoice {
    const { to, from } = transitions[action];
    if (invoice.status === to) return invoice;
    if (!from.some((status) => status === invoice.status))
      throw new ServiceError('failed_precondition', `status: cannot ${action} an invoice that is ${invoice.status}`);
    const expires_at = action === 'expire' ? Math.min(invoice.expires_at, this.#clock.now()) : invoice.expires_at;
    return this.setStatus({ ...invoice, expires_at }, to);
  }

  /** Sets any status and sends a webhook. The first PAID of a LIVE invoice is added to the balance. */
  setStatus(invoice: Invoice, status: Status): Invoice {
    const isPayment = status === 'PAID' && invoice.mode === 'LIVE';
    const updatedInvoice = { ...invoice, status, ...(isPayment && { is_booked: true }) };
    this.#store.save(updatedInvoice);
    if (status !== invoice.status) this.#webhooks.report(updatedInvoice);
    return updatedInvoice;
  }

  stop(): void {
    this.#cancelTimer();
  }
}
