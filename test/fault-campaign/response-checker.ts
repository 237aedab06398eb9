import { compareDecimals } from '../../src/service-api.ts';
import { checkout as checkoutSchema, type Checkout } from '../../src/checkout-api.ts';
import type { SandboxControl } from './sandbox-control.ts';
import type { Invariant, Violation } from './violation.ts';

/** A response of the shop. */
export interface CheckedResponse {
  /** The request in words. */
  readonly description: string;
  /** When the request was sent, by `performance.now()`. */
  readonly sentAt: number;
  readonly status: number;
  readonly body: unknown;
}

const expectedStatuses: readonly number[] = [200, 201, 202, 304, 409, 429, 503];

/** Checks the responses to one order's payers against earlier responses and against the service's invoices. */
export class ResponseChecker {
  readonly orderId: string;
  /** Identifiers of the invoices that were shown, in the order in which they first appeared. */
  readonly shownInvoiceIds: string[] = [];
  readonly violations: Violation[] = [];
  /** How many replacements of an invoice were requested. */
  replaceRequests = 0;
  /** When a payer first got a response with the status paid. */
  paidAt = Infinity;
  readonly #amount: string;
  readonly #service: SandboxControl;
  readonly #expectedStatuses: readonly number[];

  constructor(orderId: string, amount: string, service: SandboxControl, mayRefuse: boolean) {
    this.orderId = orderId;
    this.#amount = amount;
    this.#service = service;
    this.#expectedStatuses = mayRefuse ? [...expectedStatuses, 422] : expectedStatuses;
  }

  /** Checks a response. Resolves with its checkout, if it has one. */
  async check(response: CheckedResponse): Promise<Checkout | undefined> {
    const { description, status, body } = response;
    if (!this.#expectedStatuses.includes(status))
      this.#report('I6', `${description} got the response ${status} ${JSON.stringify(body)}`);
    const problem = JSON.stringify(body ?? null);
    if (status === 409 && problem.includes('idempotency_mismatch')) this.#report('I6', `${description}: ${problem}`);
    if (status === 422 && !problem.includes('method_unavailable')) this.#report('I6', `${description}: ${problem}`);
    if (status === 409 && problem.includes('already_paid')) await this.#checkPaid(description);
    if (status < 200 || status > 202) return undefined;
    const result = checkoutSchema.safeParse(body);
    if (!result.success) {
      this.#report('I6', `${description} got the response ${status} ${problem}`);
      return undefined;
    }
    await this.#compare(response, result.data);
    return result.data;
  }

  async #compare({ description, sentAt }: CheckedResponse, { status, amount, invoice }: Checkout): Promise<void> {
    if (amount !== this.#amount) this.#report('I6', `${description} shows the amount ${amount ?? 'null'}`);
    if (status !== 'paid' && this.paidAt < sentAt)
      this.#report('I5', `${description} has the status ${status} after paid`);
    if (status === 'paid') await this.#checkPaid(description);
    if (invoice === null) return;
    if (compareDecimals(invoice.amount, this.#amount) !== 0)
      this.#report('I6', `${description} shows an invoice for ${invoice.amount}`);
    if (!this.shownInvoiceIds.includes(invoice.id)) this.shownInvoiceIds.push(invoice.id);
    const pendingInvoices = (await this.#service.invoices(this.orderId)).filter(({ status }) => status === 'PENDING');
    const payableInvoices = pendingInvoices.filter(({ id }) => this.shownInvoiceIds.includes(id));
    if (payableInvoices.length > 1 + this.replaceRequests)
      this.#report(
        'I1',
        `${description} shows ${invoice.id}; ${payableInvoices.length} may be paid after ${this.replaceRequests} requests to replace an invoice`,
      );
  }

  async #checkPaid(description: string): Promise<void> {
    this.paidAt = Math.min(this.paidAt, performance.now());
    const invoices = await this.#service.invoices(this.orderId);
    if (!invoices.some(({ status }) => status === 'PAID'))
      this.#report('I3', `${description} has the status paid, and nothing was paid`);
  }

  #report(invariant: Invariant, text: string): void {
    this.violations.push({ invariant, text: `${this.orderId}: ${text}` });
  }
}
