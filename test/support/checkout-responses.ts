import type { Checkout, CheckoutInvoice, PaymentOption } from '../../src/checkout-api.ts';

// Checkouts that tests start from. The card and account numbers have valid check digits and belong to nobody.

export const cardOption: PaymentOption = {
  id: 'pm_card',
  type: 'CARD',
  name: 'Карта',
  available: true,
  limits: { min_amount: '100.00', max_amount: '50000.00' },
  banks: [],
};

export const sbpOption: PaymentOption = {
  id: 'pm_sbp',
  type: 'SBP',
  name: 'СБП',
  available: true,
  limits: { min_amount: '10.00' },
  banks: [],
};

export const transferOption: PaymentOption = {
  id: 'pm_transfer',
  type: 'BANK_TRANSFER',
  available: false,
  limits: {},
  banks: [],
};

export function makeInvoice(changes: Partial<CheckoutInvoice> = {}): CheckoutInvoice {
  return {
    id: 'inv_1',
    payment_method_id: 'pm_sbp',
    amount: '1500.00',
    sbp: { holder_name: 'Тест Т.', phone: '+7 900 000-00-00' },
    service_status: 'PENDING',
    expires_in_ms: 900_000,
    ...changes,
  };
}

export function makeOpenCheckout(changes: Partial<Checkout> = {}): Checkout {
  return {
    id: 'co_test',
    status: 'open',
    amount: '1500.00',
    amount_limits: null,
    currency: 'RUB',
    description: 'Order 1001',
    reference: null,
    expires_at: null,
    paid_at: null,
    test: true,
    options: [cardOption, sbpOption, transferOption],
    invoice: null,
    return_urls: { success_url: null, fail_url: null },
    server_time: '2026-11-20T10:00:00.000Z',
    poll_after_ms: 2000,
    stale: false,
    ...changes,
  };
}

/** A checkout with an invoice, in any status but `open`. */
export function makeCheckout(
  status: Exclude<Checkout['status'], 'open'>,
  invoice: Partial<CheckoutInvoice> = {},
  changes: Partial<Checkout> = {},
): Checkout {
  return makeOpenCheckout({ status, options: [], invoice: makeInvoice(invoice), ...changes });
}
