import type { Attempt, CheckoutRecord } from '../../../src/server.ts';

/** A checkout without attempts, first saved as version 1. */
export function checkoutRecord(id: string, changes: Partial<CheckoutRecord> = {}): CheckoutRecord {
  return {
    id,
    hook_secret: 'secret',
    terms: {
      order_id: `order-${id}`,
      amount: '1500.00',
      amount_limits: null,
      currency: 'RUB',
      description: 'Чай',
      success_url: null,
      fail_url: null,
    },
    created_at: 1000,
    version: 1,
    paid_external_id: null,
    attempts: [],
    ...changes,
  };
}

/** An attempt whose invoice is known and watched. */
export function attemptRecord(externalId: string, changes: Partial<Attempt> = {}): Attempt {
  return {
    external_id: externalId,
    keys: [{ key: 'key', fingerprint: 'digest' }],
    payment_method_id: 'pm_1',
    amount: '1500.00',
    request: { amount: '1500.00', external_id: externalId, mode: 'TEST', qr: { generate: true, timeout: '4s' } },
    stage: 'made',
    tries: 1,
    lease_until: 0,
    replaced: false,
    created_at: 1000,
    invoice: { id: `inv_${externalId}`, amount: '1500.00', sbp: { phone: '+79000000000' } },
    expires_at: 900_000,
    service_status: 'PENDING',
    outcome: 'pending',
    due_at: 2000,
    checked_at: null,
    refusal: null,
    ...changes,
  };
}
