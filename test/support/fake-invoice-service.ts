import {
  formatTimestamp,
  type CreatedInvoice,
  type CreateInvoiceRequest,
  type StatusCode,
  type FetchedInvoice,
  type PaymentOption,
} from '../../src/service-api.ts';
import type { InvoiceService } from '../../src/server.ts';
import { InvoiceServiceError, type ServiceFailure } from '../../src/server-internals.ts';

/** The response to a second create with one `external_id`, which the specification leaves open (invoice-service.md §4.1). */
export type RepeatedCreateResponse = 'same' | 'conflict' | 'new';

/** The fault of one call: `fails` without being processed, `hangs` before it is processed, or the response is `lost`. */
export type Fault =
  | {
      readonly kind: 'fails';
      readonly failure: ServiceFailure;
      readonly code?: StatusCode;
      readonly httpStatus?: number;
    }
  | { readonly kind: 'lost' }
  | { readonly kind: 'hangs'; readonly until: Promise<unknown> };

interface StoredInvoice {
  readonly created: CreatedInvoice;
  status: string;
  /** The amount that FetchInvoices returns for it. */
  amount: string;
}

export const card: PaymentOption = {
  id: 'pm_card',
  code: 'card',
  type: 'CARD',
  name: 'Карта',
  available: true,
  limits: { min_amount: '100.00', max_amount: '100000.00' },
  banks: [],
};
export const sbp: PaymentOption = { ...card, id: 'pm_sbp', code: 'sbp', type: 'SBP', name: 'СБП' };

export function failure(kind: ServiceFailure, code: StatusCode = 'unavailable', httpStatus = 503): InvoiceServiceError {
  return new InvoiceServiceError(`the fake service: ${kind}`, { failure: kind, code, httpStatus });
}

/** An invoice service in memory, whose faults a test sets call by call. */
export class FakeInvoiceService implements InvoiceService {
  readonly createRequests: CreateInvoiceRequest[] = [];
  /** The identifiers of each FetchInvoices call. */
  readonly fetchRequests: (readonly string[])[] = [];
  readonly optionsRequests: (string | undefined)[] = [];
  readonly invoices = new Map<string, StoredInvoice>();
  readonly createFaults: Fault[] = [];
  readonly fetchFaults: Fault[] = [];
  readonly optionsFaults: Fault[] = [];
  /** The fault of every call that has no fault of its own. */
  outage: Fault | undefined;
  /** The fault of every create that has no fault of its own. */
  createOutage: Fault | undefined;
  options: readonly PaymentOption[] = [card, sbp];
  /** What FetchPaymentOptions returns of `options` for an amount. */
  filterOptions: (options: readonly PaymentOption[], amount: string | undefined) => readonly PaymentOption[] = (
    options,
  ) => options;
  /** Members of the invoice that CreateInvoice returns, added to the usual members or instead of them. */
  invoiceChanges: Partial<CreatedInvoice> = {};
  /** Members of each invoice that FetchInvoices returns, added to the usual members or instead of them. */
  fetchedChanges: Partial<FetchedInvoice> = {};
  lifetimeMs: number | undefined = 900_000;
  onRepeatedCreate: RepeatedCreateResponse = 'same';
  /** The number of creates that the service has processed. */
  createsProcessed = 0;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  async createInvoice(request: CreateInvoiceRequest): Promise<CreatedInvoice> {
    this.createRequests.push(request);
    return this.#withFault(this.createFaults.shift() ?? this.createOutage, () => this.#create(request));
  }

  async fetchPaymentOptions(amount: string | undefined): Promise<readonly PaymentOption[]> {
    this.optionsRequests.push(amount);
    return this.#withFault(this.optionsFaults.shift(), () => this.filterOptions(this.options, amount));
  }

  /** Milliseconds until the next call of an operation may be sent. */
  waitMs: (operation: 'CreateInvoice' | 'FetchInvoices') => number = () => 0;

  async fetchInvoices(ids: readonly string[]): Promise<readonly FetchedInvoice[]> {
    this.fetchRequests.push(ids);
    const readInvoices = (): FetchedInvoice[] =>
      ids.flatMap((id) => {
        const invoice = this.invoices.get(id);
        if (invoice === undefined) return [];
        const { external_id, expires_at } = invoice.created;
        return { id, amount: invoice.amount, external_id, expires_at, status: invoice.status, ...this.fetchedChanges };
      });
    return this.#withFault(this.fetchFaults.shift(), readInvoices);
  }

  /** Sets the status of an invoice, by default of the newest one. */
  setStatus(status: string, id = [...this.invoices.keys()].at(-1)): void {
    const invoice = this.invoices.get(id ?? '');
    if (invoice === undefined) throw new Error('there is no such invoice');
    invoice.status = status;
  }

  /** Sets the amount that FetchInvoices returns for an invoice, the newest by default. */
  setFetchedAmount(amount: string, id = [...this.invoices.keys()].at(-1)): void {
    const invoice = this.invoices.get(id ?? '');
    if (invoice === undefined) throw new Error('there is no such invoice');
    invoice.amount = amount;
  }

  #create(request: CreateInvoiceRequest): CreatedInvoice {
    this.createsProcessed += 1;
    const existing = [...this.invoices.values()].find(({ created }) => created.external_id === request.external_id);
    if (existing !== undefined && this.onRepeatedCreate === 'conflict')
      throw failure('ambiguous', 'already_exists', 409);
    if (existing !== undefined && this.onRepeatedCreate === 'same') return existing.created;
    const id = `inv_${this.invoices.size + 1}`;
    const created = {
      id,
      external_id: request.external_id,
      payment_url: `https://pay.example/${id}`,
      amount: request.amount ?? '0',
      ...(this.lifetimeMs === undefined ? {} : { expires_at: formatTimestamp(this.#now() + this.lifetimeMs) }),
      card: { holder_name: 'CANARY HOLDER', card_number: '2200000000000004' },
      sbp: { phone: '+79990000000' },
      ...this.invoiceChanges,
    };
    this.invoices.set(id, { created, status: 'PENDING', amount: created.amount });
    return created;
  }

  async #withFault<T>(fault: Fault | undefined, work: () => T): Promise<T> {
    await Promise.resolve();
    const activeFault = fault ?? this.outage;
    if (activeFault?.kind === 'fails') throw failure(activeFault.failure, activeFault.code, activeFault.httpStatus);
    if (activeFault?.kind === 'hangs') await activeFault.until;
    const result = work();
    if (activeFault?.kind === 'lost') throw failure('ambiguous', 'data_loss', 0);
    return result;
  }
}
