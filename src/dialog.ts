// A checkout in a native dialog; registers the tag.
import './pay-invoice.ts';

export { openCheckout, type CheckoutDialogOptions, type CheckoutDialogOutcome } from './view/checkout-dialog.ts';
