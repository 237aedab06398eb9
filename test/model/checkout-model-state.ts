// The state of the checkout model: the checkout's record, the service's invoices, calls under way, a clock.
import { applyCreatedInvoice } from '../../src/server/domain/apply-create-result.ts';
import { withNewAttempt } from '../../src/server/domain/select-attempt.ts';
import { newAttempt } from '../../src/server/domain/decide-create-request.ts';
import { defaultTiming } from '../../src/server/timing-and-limit-defaults.ts';
import type { Attempt, CheckoutRecord, Outcome } from '../../src/server.ts';

/** The response to a repeated CreateInvoice, which the specification leaves open (section 4.1). */
export type RepeatedCreate = 'same invoice' | 'new invoice';

/** Where a run begins, and how often each thing may happen. Small bounds allow long traces. */
export interface Bounds {
  readonly repeatedCreate: RepeatedCreate;
  /** How many invoices wait at the beginning; the first of two has been replaced. */
  readonly waiting: 0 | 1 | 2;
  readonly requests: number;
  /** Calls of CreateInvoice and of FetchInvoices under way at the same time. */
  readonly calls: number;
  readonly fetches: number;
  readonly clockSteps: number;
  readonly crashes: number;
  /** Whether time may pass until no create in doubt is repeated any more. */
  readonly dayPasses: boolean;
  /** Whether another checkout of the order was paid before. */
  readonly paidElsewhere: boolean;
  /** Whether the merchant may close the checkout, or its `expiresAt` may pass. */
  readonly closes: boolean;
}

export type Word = 'PENDING' | 'PAID' | 'FAILED' | 'EXPIRED' | 'HELD_BY_BANK';

export interface ServiceInvoice {
  readonly id: string;
  readonly externalId: string;
  readonly amount: string;
  readonly word: Word;
}

export type CallAnswer =
  | { readonly kind: 'created'; readonly invoice: ServiceInvoice }
  | { readonly kind: 'refused' | 'lost' | 'unavailable' };

export interface Call {
  readonly process: 1 | 2;
  readonly externalId: string;
  readonly answer: CallAnswer | undefined;
}

export interface Fetch {
  readonly externalId: string;
  readonly requestedAt: number;
  readonly invoice: ServiceInvoice | undefined;
}

export interface State {
  readonly now: number;
  readonly record: CheckoutRecord;
  readonly invoices: readonly ServiceInvoice[];
  readonly calls: readonly Call[];
  readonly fetches: readonly Fetch[];
  readonly outcomes: readonly Pick<Outcome, 'id' | 'kind' | 'externalId'>[];
  readonly requests: number;
  readonly clockSteps: number;
  readonly crashes: number;
  /** Attempts whose invoice was seen paid with the right amount. */
  readonly seenPaid: readonly string[];
  /** The rule that the last step broke. */
  readonly broken: string | undefined;
  readonly paidElsewhere: boolean;
}

export const leaseMs = defaultTiming.createLeaseMs;
export const lifeMs = 900_000;
/** When time closes a checkout, in scenarios in which it does. */
export const closesAt = 1_800_000_000_000 + 600_000;
export const price = '100.00';
export const start = 1_800_000_000_000;

const empty: State = {
  now: start,
  record: {
    id: 'chk_1',
    hookSecret: 'secret',
    params: {
      orderId: 'order-1',
      amount: price,
      amountLimits: null,
      currency: 'RUB',
      description: null,
      successUrl: null,
      failUrl: null,
      reference: null,
      expiresAt: null,
      metadata: null,
    },
    createdAt: start,
    version: 1,
    paidExternalId: null,
    paidAt: null,
    closedAt: null,
    attempts: [],
  },
  invoices: [],
  calls: [],
  fetches: [],
  outcomes: [],
  requests: 0,
  clockSteps: 0,
  crashes: 0,
  seenPaid: [],
  broken: undefined,
  paidElsewhere: false,
};

/** A checkout with `count` waiting invoices. The second one has replaced the first. */
export function withWaiting(count: Bounds['waiting']): State {
  let state = empty;
  for (const method of ['sbp', 'card'].slice(0, count)) {
    const number = state.requests + 1;
    const externalId = `e${number}`;
    const request = {
      key: { key: `key-${number}`, fingerprint: method },
      paymentMethodId: method,
      amount: price,
      replace: true,
    };
    const invoice: ServiceInvoice = { id: `inv_${number}`, externalId, amount: price, word: 'PENDING' };
    const attempt = newAttempt(request, { type: method }, bodyFor(externalId, method), externalId, start, leaseMs);
    const withAttempt = withNewAttempt(state.record, attempt);
    const runs = { now: start, fetchAt: start, retryAt: start };
    const { record } = applyCreatedInvoice(withAttempt, externalId, createdInvoice(invoice), runs);
    state = { ...state, record, invoices: [...state.invoices, invoice], requests: number };
  }
  return { ...state, requests: 0 };
}

export const bodyFor = (externalId: string, method: string): Attempt['request'] => ({
  amount: price,
  external_id: externalId,
  payment_method_id: method,
  mode: 'TEST',
  qr: { generate: true },
});

export const createdInvoice = ({ id, externalId, amount }: ServiceInvoice) => ({
  id,
  external_id: externalId,
  amount,
  payment_url: 'https://pay.example/invoice',
  expires_at: new Date(start + lifeMs).toISOString(),
});
