// The element's class and its events; importing it registers nothing.
export { PayInvoiceElement } from './view/pay-invoice-element.ts';
export {
  ActionEvent,
  CheckoutErrorEvent,
  CheckoutOutcomeEvent,
  CopiedEvent,
  InvoiceEvent,
  MethodSelectEvent,
  StatusEvent,
  type PayerAction,
} from './view/pay-invoice.events.ts';
export type { PayInvoiceOptions } from './view/pay-invoice-options.ts';
export type { MessageOverrides, Messages } from './i18n.ts';
