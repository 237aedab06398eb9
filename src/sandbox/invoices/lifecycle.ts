import type { Clock } from '../../base/clock.ts';
import { ServiceError } from '../service/service-error.ts';
import type { WebhookSender } from './webhook-sender.ts';
import type { Invoice, Status } from './invoice.ts';
import type { InvoiceRepository } from './invoice-store.ts';

/** What a bank or a clock does with an invoice. */
export const invoiceActions = ['pay', 'fail', 'expire'] as const;
export type InvoiceAction = (typeof invoiceActions)[number];

/**
 * The state each happening leads to, and from where. Money may come late: a program can pay what is expired or failed.
 * What has happened already happens again without an effect.
 */
const transitions = {
  pay: { to: 'PAID', from: ['PENDING', 'EXPIRED', 'FAILED'] },
  fail: { to: 'FAILED', from: ['PENDING'] },
  expire: { to: 'EXPIRED', from: ['PENDING'] },
} as const;

/** How long the timer waits at most: the clock may have been set forward in the meantime. */
const longestWaitMs = 60_000;

/** The life of invoices: who is asked through it never sees a pending invoice whose time is over. */
export class InvoiceLifecycle {
  readonly #store: InvoiceRepository;
  readonly #clock: Clock;
  readonly #hooks: WebhookSender;
  #cancelTimer = (): void => undefined;

  constructor(store: InvoiceRepository, clock: Clock, hooks: WebhookSender) {
    this.#store = store;
    this.#clock = clock;
    this.#hooks = hooks;
    this.expireDue();
  }

  /** Expires what is due, and sets a timer for the next, so that hooks are called when nobody reads. */
  expireDue(): void {
    const now = this.#clock.now();
    for (const invoice of this.#store.overdue(now)) this.setStatus(invoice, 'EXPIRED');
    this.#cancelTimer();
    const next = this.#store.nextExpiry();
    if (next === undefined) return;
    const delay = Math.min(Math.max(0, next - now), longestWaitMs);
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

  /** The known ones of the identifiers, in their order, each once. */
  findAll(ids: readonly string[]): readonly Invoice[] {
    this.expireDue();
    const known = new Map(this.#store.findAll(ids).map((invoice) => [invoice.id, invoice]));
    return [...new Set(ids)].flatMap((id) => known.get(id) ?? []);
  }

  newest(count: number, externalId?: string): readonly Invoice[] {
    this.expireDue();
    return this.#store.newest(count, externalId);
  }

  /** Lets something happen to an invoice; a `ServiceError` when it cannot happen in its state. */
  perform(invoice: Invoice, happening: InvoiceAction): Invoice {
    const { to, from } = transitions[happening];
    if (invoice.status === to) return invoice;
    if (!from.some((status) => status === invoice.status))
      throw new ServiceError('failed_precondition', `status: cannot ${happening} an invoice that is ${invoice.status}`);
    const expires_at = happening === 'expire' ? Math.min(invoice.expires_at, this.#clock.now()) : invoice.expires_at;
    return this.setStatus({ ...invoice, expires_at }, to);
  }

  /** Sets any status. The first PAID of a LIVE invoice is booked on the balance; the merchant's hook is called. */
  setStatus(invoice: Invoice, status: Status): Invoice {
    const changed = { ...invoice, status };
    this.#store.transaction(() => {
      this.#store.update(changed);
      if (status === 'PAID' && invoice.mode === 'LIVE') this.#store.recordPayment(changed);
      if (status !== invoice.status) this.#hooks.enqueue(changed);
    });
    this.#hooks.sendDue();
    return changed;
  }

  stop(): void {
    this.#cancelTimer();
  }
}
