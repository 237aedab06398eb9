import type { Attempt, CheckoutRecord, Outcome } from '../server.ts';

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
    attempts: [],
    ...changes,
  };
}

/** Makes an attempt whose invoice is known and polled. */
export function makeAttempt(externalId: string, changes: Partial<Attempt> = {}): Attempt {
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
    stage: 'created',
    callCount: 2,
    leaseUntil: 0,
    replaced: false,
    createdAt: 1_700_000_000_456,
    invoice: {
      id: `inv of ${externalId}`,
      amount: '1500.00',
      expires_at: '2026-11-20T10:15:00Z',
      sbp: { phone: '+79000000000', holder_name: 'Ёлка "О\'Нил" \\ \u202E' },
    },
    expiresAt: 1_700_000_900_000,
    serviceStatus: 'PENDING',
    outcome: 'pending',
    paidAmount: null,
    runAt: 1000,
    checkedAt: null,
    refusal: null,
    ...changes,
  };
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
