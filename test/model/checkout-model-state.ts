// The state of the checkout model: the checkout's record, the service's invoices, calls and fetches under way, and a clock.
import type { NewOutcome } from '../../src/server.ts';
import { newAttempt } from '../../src/server/domain/create-decisions.ts';
import { applyCreatedInvoice } from '../../src/server/domain/create-results.ts';
import { withNewAttempt } from '../../src/server/domain/checkout-status.ts';
import { createLeaseMs } from '../../src/server/commands/call-service-and-save-invoice.ts';
import type { Attempt, CheckoutRecord } from '../../src/server-internals.ts';

/** The response to a repeated CreateInvoice, which the specification leaves open (section 4.1). */
export type RepeatedCreate = 'same invoice' | 'new invoice';

/** The initial state, and how often each step may happen. Small bounds allow long traces. */
export interface Bounds {
  readonly repeatedCreate: RepeatedCreate;
  /** How many invoices are pending at the beginning. The second invoice has replaced the first. */
  readonly pendingInvoices: 0 | 1 | 2;
  readonly requests: number;
  /** How many calls of CreateInvoice (`calls`) and of FetchInvoices (`fetches`) may be under way at the same time. */
  readonly calls: number;
  readonly fetches: number;
  readonly clockSteps: number;
  readonly crashes: number;
  /** Whether a day may pass, after which a create in doubt is no longer repeated. */
  readonly dayPasses: boolean;
  /** Whether the merchant may close the checkout, or its `expiresAt` may pass. */
  readonly mayClose: boolean;
  /** Whether a person may decide about an invoice that the server cannot judge. */
  readonly mayResolve: boolean;
}

export type Word = 'PENDING' | 'PAID' | 'FAILED' | 'EXPIRED' | 'HELD_BY_BANK';

export interface ServiceInvoice {
  readonly id: string;
  readonly externalId: string;
  readonly amount: string;
  readonly word: Word;
}

export type CallResponse =
  | { readonly kind: 'created'; readonly invoice: ServiceInvoice }
  | { readonly kind: 'refused' | 'lost' | 'unavailable' };

export interface Call {
  readonly process: 1 | 2;
  readonly externalId: string;
  readonly response: CallResponse | undefined;
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
  readonly outcomes: readonly NewOutcome[];
  readonly requests: number;
  readonly clockSteps: number;
  readonly crashes: number;
  /** The external identifiers of the attempts for which a fetch has returned a paid invoice. */
  readonly attemptsSeenPaid: readonly string[];
  /** The rule that the last step broke. */
  readonly brokenRule: string | undefined;
}

export const leaseMs = createLeaseMs({ qr: { generate: true } });
export const lifetimeMs = 900_000;
/** The checkout's `expiresAt` in scenarios in which it may close. */
export const closesAt = 1_800_000_000_000 + 600_000;
export const price = '100.00';
export const startTime = 1_800_000_000_000;

const emptyState: State = {
  now: startTime,
  record: {
    id: 'co_1',
    capability: 'chk_1',
    capabilityAt: startTime,
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
      methods: null,
    },
    createdAt: startTime,
    version: 1,
    paidExternalId: null,
    paidAt: null,
    closedAt: null,
    actions: [],
    attempts: [],
  },
  invoices: [],
  calls: [],
  fetches: [],
  outcomes: [],
  requests: 0,
  clockSteps: 0,
  crashes: 0,
  attemptsSeenPaid: [],
  brokenRule: undefined,
};

/** A checkout with `count` pending invoices. The second invoice has replaced the first. */
export function withPendingInvoices(count: Bounds['pendingInvoices']): State {
  let state = emptyState;
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
    const attempt = newAttempt(
      request,
      { type: method },
      createBody(externalId, method),
      externalId,
      startTime,
      leaseMs,
    );
    const recordWithAttempt = withNewAttempt(state.record, attempt);
    const times = { fetchAt: startTime, retryAt: startTime };
    const { record } = applyCreatedInvoice(recordWithAttempt, externalId, createdInvoice(invoice), times);
    state = { ...state, record, invoices: [...state.invoices, invoice], requests: number };
  }
  return { ...state, requests: 0 };
}

export const createBody = (externalId: string, method: string): Attempt['request'] => ({
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
  expires_at: new Date(startTime + lifetimeMs).toISOString(),
});
