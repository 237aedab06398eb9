import { CheckoutError, type CheckoutTransport, type ReadAnswer } from '../src/core.ts';
import type { Checkout } from '../src/checkout-api.ts';
import * as checkouts from './gallery-checkouts.ts';

const { checkoutWithoutInvoice, makePendingCheckout, makeEndedCheckout, sbp, card, transfer, links } = checkouts;

/** A state of the widget, described by the backend's responses and the payer's actions that lead to the state. */
export interface GalleryState {
  /** The result of every read: a checkout or an error. Where it is undefined, no response ever comes. */
  readonly answer: Checkout | CheckoutError | undefined;
  /** The result of a create request. Where it is absent, no response to the request ever comes. */
  readonly created?: Checkout | CheckoutError;
  /** The result of all reads but the first. */
  readonly laterAnswer?: Checkout;
  /** Whether all reads but the first fail. */
  readonly laterReadsFail?: boolean;
  /** The URL at which this checkout opens on another device. */
  readonly phoneUrl?: string;
  /** The seconds after which a paid checkout goes back to the shop. */
  readonly returnAfter?: number;
  /** The lines of the order, which a wide layout shows. */
  readonly order?: string;
  /** The control that the payer clicks first. After a click on `app`, the link to a bank's app, no app opens. */
  readonly click?: 'continue' | 'leave' | 'phone' | 'app' | 'save' | 'copy' | 'check' | 'again';
  /** The amount that the payer types. */
  readonly typedAmount?: string;
  /** Whether a browser inside another app shows the page. */
  readonly inApp?: true;
  /** Whether the browser accepts what is copied. */
  readonly clipboard?: 'accepts' | 'refuses';
  /** Whether two minutes pass as soon as the state is shown. */
  readonly twoMinutesLater?: boolean;
}

const openWithoutAmount: Checkout = {
  ...checkoutWithoutInvoice,
  amount: null,
  amount_limits: { min_amount: '100.00', max_amount: '50000.00' },
};
const wallet = { id: 'pm_wallet', code: 'wallet', type: 'WALLET', name: 'Кошелёк', available: true, banks: [] };
const openWithUnknownType: Checkout = { ...checkoutWithoutInvoice, options: [{ ...wallet, limits: checkouts.limits }] };
const openWithOneMethod: Checkout = { ...checkoutWithoutInvoice, options: checkoutWithoutInvoice.options.slice(0, 1) };
const openWithoutOptions: Checkout = { ...checkoutWithoutInvoice, options: [] };
const networkError = new CheckoutError('network', 'the gallery has no network');
const refusal = new CheckoutError('method_unavailable', 'the gallery refuses');
const pendingWithoutInvoice = { ...checkoutWithoutInvoice, status: 'pending' as const };

const allStates = {
  loading: { answer: undefined },
  unreachable: { answer: networkError },
  lost: { answer: new CheckoutError('not_found', 'nothing here') },
  options: { answer: checkoutWithoutInvoice, created: makePendingCheckout({ ...sbp, ...links }) },
  test: { answer: { ...checkoutWithoutInvoice, test: true }, created: makePendingCheckout(sbp) },
  order: {
    answer: { ...checkoutWithoutInvoice, description: 'Лист и глина', reference: '4821-7360' },
    order: 'Фикус × 1\nКерамический горшок × 2',
  },
  'one-method': { answer: openWithOneMethod, created: makePendingCheckout({ ...sbp, ...links }) },
  'no-options': { answer: openWithoutOptions },
  amount: { answer: openWithoutAmount, typedAmount: '2500,50' },
  'amount-empty': { answer: openWithoutAmount },
  'amount-wrong': { answer: openWithoutAmount, typedAmount: '99' },
  refused: { answer: checkoutWithoutInvoice, created: refusal, click: 'continue' },
  mismatch: {
    answer: checkoutWithoutInvoice,
    created: makePendingCheckout({ ...sbp, amount: '1500.01' }),
    click: 'continue',
  },
  creating: { answer: checkoutWithoutInvoice, click: 'continue' },
  unknown: { answer: pendingWithoutInvoice },
  'no-answer': { answer: pendingWithoutInvoice, twoMinutesLater: true },
  sbp: { answer: makePendingCheckout(sbp) },
  'sbp-page': { answer: makePendingCheckout({ ...sbp, payment_url: links.payment_url }) },
  phone: { answer: makePendingCheckout(sbp), phoneUrl: 'https://shop.example/orders#1001', click: 'phone' },
  card: { answer: makePendingCheckout(card) },
  transfer: { answer: makePendingCheckout(transfer) },
  qr: { answer: makePendingCheckout(links) },
  'unknown-type': {
    answer: openWithUnknownType,
    created: makePendingCheckout({ ...card, ...transfer }),
    click: 'continue',
  },
  'qr-card': { answer: makePendingCheckout({ ...card, ...links }) },
  'qr-transfer': { answer: makePendingCheckout({ ...transfer, ...links }) },
  'qr-sbp': { answer: makePendingCheckout({ ...sbp, ...links }, { test: true }) },
  stuck: { answer: makePendingCheckout(links), click: 'app' },
  'in-app': {
    answer: makePendingCheckout(links),
    phoneUrl: 'https://shop.example/orders#1001',
    click: 'app',
    inApp: true,
  },
  'qr-picture': { answer: makePendingCheckout(links), click: 'save', inApp: true },
  copied: { answer: makePendingCheckout(card), click: 'copy', clipboard: 'accepts' },
  'copy-refused': { answer: makePendingCheckout(card), click: 'copy', clipboard: 'refuses' },
  everything: { answer: makePendingCheckout({ ...sbp, ...card, ...transfer, ...links }) },
  'no-bank': { answer: makePendingCheckout({ card: card.card }) },
  page: { answer: makePendingCheckout({ payment_url: links.payment_url }) },
  days: { answer: makePendingCheckout({ ...card, expires_at: '2026-11-22T13:23:20Z', expires_in_ms: 185_000_000 }) },
  leaving: { answer: makePendingCheckout(sbp), click: 'leave' },
  long: { answer: makePendingCheckout(sbp), twoMinutesLater: true },
  stale: { answer: makePendingCheckout(sbp, { stale: true }) },
  offline: { answer: makePendingCheckout({ ...sbp, ...links }), laterReadsFail: true },
  checking: { answer: makePendingCheckout({ ...sbp, expires_in_ms: 0 }) },
  'not-received': {
    answer: makePendingCheckout({ ...sbp, expires_in_ms: 0, checked_at: '2026-11-20T10:00:00Z' }),
    click: 'check',
  },
  'checking-confirm': { answer: makePendingCheckout({ ...sbp, expires_in_ms: 0 }), click: 'again' },
  'amount-check': { answer: checkouts.paidWithOtherAmount },
  paid: { answer: makeEndedCheckout('paid') },
  returning: { answer: makeEndedCheckout('paid'), returnAfter: 60 },
  late: { answer: makeEndedCheckout('expired'), laterAnswer: makeEndedCheckout('paid'), click: 'check' },
  failed: { answer: makeEndedCheckout('failed') },
  expired: { answer: makeEndedCheckout('expired') },
  'expired-confirm': { answer: makeEndedCheckout('expired'), click: 'again' },
  closed: { answer: checkouts.closedCheckout },
  'closed-refused': {
    answer: checkoutWithoutInvoice,
    created: new CheckoutError('checkout_closed', 'the gallery has closed it'),
    laterAnswer: checkouts.closedCheckout,
    click: 'continue',
  },
  'hostile-options': { answer: checkouts.hostileOpenCheckout },
  'hostile-requisites': { answer: checkouts.hostilePendingCheckout },
} satisfies Readonly<Record<string, GalleryState>>;

export const states: Readonly<Record<string, GalleryState>> = allStates;

/** The names of the states. A new state also needs titles in gallery-titles.ts. */
export type StateName = keyof typeof allStates;

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')));
  });

/** A backend that stays in one state. */
export function transportOf({ answer, created, laterAnswer, laterReadsFail }: GalleryState): CheckoutTransport {
  let currentResponse = answer;
  let reads = 0;
  const startedAt = performance.now();
  /** The answer as of now: a server whose clock stood still would make the widget doubt the deadline. */
  function resultWith(checkout: Checkout): ReadAnswer {
    const { invoice } = checkout;
    const remainingMs = invoice?.expires_in_ms;
    const expires_in_ms = remainingMs && Math.max(0, remainingMs - (performance.now() - startedAt));
    return {
      kind: 'checkout',
      checkout: invoice ? { ...checkout, invoice: { ...invoice, expires_in_ms } } : checkout,
      etag: `"${checkout.status}"`,
    };
  }
  return {
    read(request, signal) {
      reads += 1;
      if (currentResponse instanceof CheckoutError) return Promise.reject(currentResponse);
      if (laterReadsFail === true && reads > 1) return Promise.reject(networkError);
      if (laterAnswer !== undefined && reads > 1) currentResponse = laterAnswer;
      if (
        currentResponse === undefined ||
        (request.etag === `"${currentResponse.status}"` && request.waitSeconds !== undefined)
      )
        return rejectOnAbort(signal);
      return Promise.resolve(resultWith(currentResponse));
    },
    createInvoice(_, signal) {
      if (created === undefined) return rejectOnAbort(signal);
      if (created instanceof CheckoutError) return Promise.reject(created);
      currentResponse = created;
      return Promise.resolve({ kind: 'created', checkout: created });
    },
  };
}
