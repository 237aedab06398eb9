import type { CheckoutStatus } from '../src/checkout-api.ts';
import type { Order } from './shop-server-interface.ts';
import type { Text } from './page-texts.ts';

/**
 * The heading and the line above the widget, which says nothing that the widget says: until there is an outcome, it has the order's number. Only the shop's server decides that an order is paid: it may have received a
 * payment that the widget does not show yet. `hasPaymentInCheck` is true when a person at the shop has to check a payment.
 * The payer is then not asked to pay.
 */
export function orderTexts(
  order: Order['status'],
  checkout: CheckoutStatus,
  hasPaymentInCheck = false,
): { readonly title: Text; readonly note?: Text } {
  if (order === 'paid') return { title: 'orderThanks', note: 'orderPaid' };
  switch (checkout) {
    case 'paid':
      return { title: 'orderThanks', note: 'orderConfirming' };
    case 'failed':
    case 'expired':
      return { title: 'orderUnpaid', note: 'orderKept' };
    case 'closed':
      return { title: 'orderUnpaid', note: 'orderClosed' };
    case 'open':
    case 'pending':
      return hasPaymentInCheck ? { title: 'orderUnpaid', note: 'orderKept' } : { title: 'orderTitle' };
  }
}
