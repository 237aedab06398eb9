import type { Outcome, InvoiceOutcome } from '../../src/server.ts';
import type {
  CheckoutRecord,
  CreateAttempt,
  HiddenAttempt,
  LiveAttempt,
  RejectedAttempt,
} from '../../src/server-internals.ts';

/** Makes a checkout record of version 1 without attempts. */
export function makeCheckoutRecord(id: string, changes: Partial<CheckoutRecord> = {}): CheckoutRecord {
  return {
    id,
    capability: `capability of ${id}`,
    capabilityAt: changes.createdAt ?? 1_700_000_000_123,
    hookSecret: `secret of ${id}`,
    params: {
      orderId: `order of ${id}`,
      amount: '1500.00',
      amountLimits: null,
      currency: 'RUB',
      description: 'Чай «Сенча», 2 шт. \u{1F375}',
      successUrl: 'https://shop.example/thanks?a=1&b=%20',
      failUrl: null,
      reference: '№ 1001',
      expiresAt: 1_800_000_000_000,
      metadata: { cart: 'А-7', 'a b': '' },
      methods: ['pm_sbp', 'CARD'],
    },
    createdAt: 1_700_000_000_123,
    version: 1,
    paidExternalId: null,
    paidAt: (changes.paidExternalId ?? null) === null ? null : 1_700_000_900_001,
    closedAt: null,
    actions: [],
    attempts: [],
    ...changes,
  };
}

const paidOutcomes: readonly InvoiceOutcome[] = ['paid', 'amount_mismatch', 'test_payment'];

/** The members that every attempt has. */
function attemptBase(externalId: string): Omit<CreateAttempt, 'state'> {
  return {
    externalId,
    keys: [
      { key: 'key-1', fingerprint: 'one' },
      { key: 'key-2', fingerprint: 'two' },
    ],
    paymentMethodId: 'pm_1',
    method: { type: 'SBP', name: 'СБП' },
    amount: '1500.00',
    request: {
      amount: '1500.00',
      external_id: externalId,
      payment_method_id: 'pm_1',
      mode: 'TEST',
      url_config: { hook_url: 'https://shop.example/hook' },
      metadata: { order_id: 'order', nested: { list: [1, '2', null, true] } },
      qr: { generate: true, timeout: '4s' },
    },
    createdAt: 1_700_000_000_456,
    callCount: 2,
    leaseUntil: 0,
    runAt: 1000,
    resolution: null,
  };
}

/** What is known of an invoice that is polled. */
function knownInvoice(externalId: string): Omit<LiveAttempt, keyof CreateAttempt | 'paidAmount'> {
  return {
    invoice: {
      id: `inv of ${externalId}`,
      amount: '1500.00',
      expires_at: '2026-11-20T10:15:00Z',
      sbp: { phone: '+79000000000', holder_name: 'Ёлка "О\'Нил" \\ \u202E' },
    },
    expiresAt: 1_700_000_900_000,
    serviceStatus: 'PENDING',
    statusHistory: [],
    outcome: 'pending',
    answeredAt: null,
    checkedAt: null,
  };
}

/** Makes an attempt whose invoice is the payer's and polled. */
export function makeAttempt(externalId: string, changes: Partial<LiveAttempt> = {}): LiveAttempt {
  const attempt = { ...attemptBase(externalId), ...knownInvoice(externalId), state: 'live' as const, ...changes };
  return { paidAmount: paidOutcomes.includes(attempt.outcome) ? attempt.amount : null, ...attempt };
}

/** Makes an attempt whose create is in doubt. */
export function makeCreate(externalId: string, changes: Partial<CreateAttempt> = {}): CreateAttempt {
  return { ...attemptBase(externalId), state: 'in_doubt', ...changes };
}

/** Makes an attempt that the service has rejected. */
export function makeRejected(externalId: string, changes: Partial<RejectedAttempt> = {}): RejectedAttempt {
  return { ...attemptBase(externalId), runAt: null, state: 'rejected', reason: 'try_again', ...changes };
}

/** Makes an attempt whose invoice is polled and never shown. */
export function makeHidden(externalId: string, changes: Partial<HiddenAttempt> = {}): HiddenAttempt {
  return { ...makeAttempt(externalId), state: 'hidden', reason: 'mismatch', ...changes };
}

/** Makes a stored outcome `paid` of the checkout `c`. */
export function makeOutcome(id: string, changes: Partial<Outcome> = {}): Outcome {
  return {
    id,
    kind: 'paid',
    orderId: 'order',
    checkoutId: 'c',
    externalId: 'e',
    invoiceId: 'inv',
    amount: '0.10000000000000000000000000000000000001',
    expectedAmount: '0.10',
    mode: 'LIVE',
    occurredAt: 1000,
    sequence: 1,
    ...changes,
  };
}
