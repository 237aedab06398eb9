import type { Checkout, CheckoutInvoice, PaymentOption } from '../src/checkout-api.ts';

// Checkouts as a backend would return them. All data in them is invented.

export const limits = { min_amount: '100.00', max_amount: '50000.00' };
const makeBank = (
  name: string,
  changes: Partial<PaymentOption['banks'][number]> = {},
): PaymentOption['banks'][number] => ({
  code: name,
  name,
  available: true,
  limits,
  ...changes,
});

const options: readonly PaymentOption[] = [
  {
    id: 'pm_sbp',
    code: 'sbp',
    type: 'SBP',
    name: 'СБП',
    available: true,
    limits,
    banks: [
      makeBank('Сбербанк'),
      makeBank('Т-Банк'),
      makeBank('Альфа-Банк', { limits: { min_amount: '100.00', max_amount: '1000.00' } }),
      makeBank('ВТБ'),
      makeBank('Банк Уралсиб', { available: false }),
    ],
  },
  { id: 'pm_card', code: 'card', type: 'CARD', name: 'Перевод на карту', available: true, limits, banks: [] },
  {
    id: 'pm_transfer',
    code: 'bank_transfer',
    type: 'BANK_TRANSFER',
    name: 'Банковский перевод',
    available: true,
    limits: { min_amount: '5000.00', max_amount: '600000.00' },
    banks: [],
  },
  { id: 'pm_other', code: 'other', type: 'CARD', name: 'Иностранная карта', available: false, limits, banks: [] },
];

export const checkoutWithoutInvoice: Checkout = {
  id: 'co_gallery',
  status: 'open',
  amount: '1500.00',
  amount_limits: null,
  currency: 'RUB',
  reference: '1001',
  expires_at: null,
  paid_at: null,
  description: 'Заказ 1001 · Фикус и керамический горшок',
  test: false,
  options: [...options],
  invoice: null,
  return_urls: { success_url: 'https://shop.example/thanks', fail_url: 'https://shop.example/cart' },
  server_time: '2026-11-20T10:00:00.000Z',
  poll_after_ms: 2000,
  stale: false,
};

const invoice: CheckoutInvoice = {
  id: 'inv_7Q2MZK4D',
  payment_method_id: 'pm_sbp',
  external_id: 'att_2R8SLN5E',
  amount: '1500.00',
  service_status: 'PENDING',
  expires_at: '2026-11-20T10:15:00Z',
  expires_in_ms: 872_000,
};

const payment_url = 'https://pay.example/i/inv_7Q2MZK4D';
const nspk_url =
  'https://qr.nspk.ru/AD10006M8KH234K782OQM0L13JI31LQD?type=02&bank=100000000009&sum=150000&cur=RUB&crc=C08B';
const tbank = { id: 'b', code: 'tbank', name: 'Т-Банк' };

/** A checkout whose invoice waits for payment, with these requisites. */
export const makePendingCheckout = (
  requisites: Partial<CheckoutInvoice>,
  changes: Partial<Checkout> = {},
): Checkout => ({
  ...checkoutWithoutInvoice,
  status: 'pending',
  invoice: { ...invoice, ...requisites },
  ...changes,
});

export const sbp = { sbp: { phone: '+79001234567', holder_name: 'Мария Ивановна К.' }, bank: tbank };
export const card = { card: { card_number: '2200700112345672', holder_name: 'MARIA K' }, bank: tbank };
export const transfer = {
  bank_transfer: { holder_name: 'ООО «Лист и глина»', bik: '044525974', account: '40702810600000012345' },
  bank: tbank,
};
export const links = { payment_url, nspk_url };

/** The checkout while the shop checks an invoice that was paid with another amount. It has no requisites. */
export const paidWithOtherAmount = makePendingCheckout({
  service_status: 'PAID',
  expires_at: undefined,
  expires_in_ms: 0,
});

/** A checkout whose last invoice has this outcome. */
export const makeEndedCheckout = (status: 'paid' | 'failed' | 'expired'): Checkout =>
  makePendingCheckout(
    { ...sbp, method: { type: 'SBP', name: 'СБП' } },
    { status, options: [], paid_at: status === 'paid' ? '2026-11-20T10:02:30Z' : null },
  );

/** The checkout that the shop closed before an invoice was created. */
export const closedCheckout: Checkout = { ...checkoutWithoutInvoice, status: 'closed', options: [] };

const hostile = '‮<img src=x onerror=alert(1)>'.concat('Ж'.repeat(300), '\u202e');

/** Checkouts with markup, direction controls and overlong words in every name, to test that they stay plain text. */
export const hostileOpenCheckout: Checkout = {
  ...checkoutWithoutInvoice,
  description: hostile,
  reference: hostile,
  options: checkoutWithoutInvoice.options.map((option) => ({ ...option, name: hostile, banks: [makeBank(hostile)] })),
};
export const hostilePendingCheckout = makePendingCheckout({
  sbp: { phone: hostile, holder_name: hostile, account: hostile },
  bank: { name: hostile },
  payment_url,
});
