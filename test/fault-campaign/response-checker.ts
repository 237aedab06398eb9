import { compareDecimals } from '../../src/contract.ts';
import { checkout as checkoutSchema, type Checkout } from '../../src/protocol.ts';
import type { SandboxControl } from './sandbox-control.ts';
import type { Invariant, Violation } from './violation.ts';

/** A response of the shop. */
export interface CheckedResponse {
  readonly what: string;
  /** When the request was sent, by `performance.now()`. */
  readonly sentAt: number;
  readonly status: number;
  readonly body: unknown;
}

const expected: readonly number[] = [200, 201, 202, 304, 409, 429, 503];

/** Checks the responses to one order's payers against earlier responses and against the service's invoices. */
export class ResponseChecker {
  readonly orderId: string;
  /** Identifiers of the invoices that were shown, in the order in which they first appeared. */
  readonly shown: string[] = [];
  readonly violations: Violation[] = [];
  /** How many replacements of an invoice were requested. */
  replaces = 0;
  /** When a payer first got a response with the status paid. */
  paidAt = Infinity;
  readonly #amount: string;
  readonly #service: SandboxControl;

  constructor(orderId: string, amount: string, service: SandboxControl) {
    this.orderId = orderId;
    this.#amount = amount;
    this.#service = service;
  }

  /** Resolves with the checkout in the response. */
  async check(answer: CheckedResponse): Promise<Checkout | undefined> {
    const { what, status, body } = answer;
    if (!expected.includes(status)) this.#report('I6', `${what} was answered ${status} ${JSON.stringify(body)}`);
    const problem = JSON.stringify(body ?? null);
    if (status === 409 && problem.includes('idempotency_mismatch')) this.#report('I6', `${what}: ${problem}`);
    if (status === 409 && problem.includes('already_paid')) await this.#checkPaid(what);
    if (status < 200 || status > 202) return undefined;
    const parsed = checkoutSchema.safeParse(body);
    if (!parsed.success) {
      this.#report('I6', `${what} was answered ${status} with ${problem}`);
      return undefined;
    }
    await this.#compare(answer, parsed.data);
    return parsed.data;
  }

  async #compare({ what, sentAt }: CheckedResponse, { status, amount, invoice }: Checkout): Promise<void> {
    if (amount !== this.#amount) this.#report('I6', `${what} shows the amount ${amount ?? 'null'}`);
    if (status !== 'paid' && this.paidAt < sentAt) this.#report('I5', `${what} has the status ${status} after paid`);
    if (status === 'paid') await this.#checkPaid(what);
    if (invoice === null) return;
    if (compareDecimals(invoice.amount, this.#amount) !== 0)
      this.#report('I6', `${what} shows an invoice for ${invoice.amount}`);
    if (!this.shown.includes(invoice.id)) this.shown.push(invoice.id);
    const pending = (await this.#service.invoices(this.orderId)).filter(({ status }) => status === 'PENDING');
    const payable = pending.filter(({ id }) => this.shown.includes(id));
    if (payable.length > 1 + this.replaces)
      this.#report('I1', `${what} shows ${invoice.id}; ${payable.length} may be paid after ${this.replaces} replaces`);
  }

  async #checkPaid(what: string): Promise<void> {
    this.paidAt = Math.min(this.paidAt, performance.now());
    const invoices = await this.#service.invoices(this.orderId);
    if (!invoices.some(({ status }) => status === 'PAID'))
      this.#report('I3', `${what} has the status paid, and nothing was paid`);
  }

  #report(invariant: Invariant, text: string): void {
    this.violations.push({ invariant, text: `${this.orderId}: ${text}` });
  }
}
