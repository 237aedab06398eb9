import type { Checkout, CheckoutInvoice } from '../src/checkout-api.ts';
import type { CheckoutTransport, ReadAnswer } from '../src/core.ts';
import { card, checkoutWithoutInvoice, links, sbp, transfer } from './gallery-checkouts.ts';

/** A checkout that is played in the page: the widget's transport, and the decision of the payer's bank. */
export interface ScriptedCheckout {
  readonly transport: CheckoutTransport;
  /** Ends the invoice that waits for payment. Does nothing where there is none. */
  settle(status: 'paid' | 'failed' | 'expired'): void;
}

const lifetimeMs = 15 * 60_000;
/** The links lead to no bank. */
const requisites: Readonly<Record<string, Partial<CheckoutInvoice>>> = {
  pm_sbp: { ...sbp, payment_url: links.payment_url, nspk_url: links.payment_url },
  pm_card: card,
  pm_transfer: transfer,
};
/** The gallery's methods that have requisites, without their names: the widget shows its own in its language. */
const options = checkoutWithoutInvoice.options
  .filter(({ id }) => id in requisites)
  .map((option) => ({ ...option, name: undefined }));

/** An open checkout of an order, with no server behind it. An invoice expires 15 minutes after it was created. */
export function createScriptedCheckout(order: Pick<Checkout, 'amount' | 'currency'>): ScriptedCheckout {
  const changes = new EventTarget();
  let deadline = Infinity;
  let version = 0;
  let checkout: Checkout = {
    ...checkoutWithoutInvoice,
    ...order,
    description: 'Leaf & Clay',
    reference: null,
    return_urls: { success_url: null, fail_url: null },
    test: true,
    options,
  };

  function change(next: Partial<Checkout>): void {
    checkout = { ...checkout, ...next };
    version += 1;
    changes.dispatchEvent(new Event('change'));
  }

  function settle(status: 'paid' | 'failed' | 'expired'): void {
    const { invoice } = checkout;
    if (checkout.status !== 'pending' || invoice === null) return;
    const paid_at = status === 'paid' ? new Date().toISOString() : null;
    change({
      status,
      paid_at,
      invoice: { id: invoice.id, amount: invoice.amount, service_status: status.toUpperCase() },
    });
  }

  /** The checkout as of now. */
  function checkoutNow(): Checkout {
    if (performance.now() >= deadline) settle('expired');
    const { status, invoice } = checkout;
    if (status !== 'pending' || invoice === null) return checkout;
    return { ...checkout, invoice: { ...invoice, expires_in_ms: Math.round(deadline - performance.now()) } };
  }

  /** Resolves at the next change. */
  const nextChange = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      changes.addEventListener('change', () => resolve(), { once: true, signal });
      signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
    });

  return {
    settle,
    transport: {
      async read({ etag, waitSeconds }, signal): Promise<ReadAnswer> {
        if (etag === `"${version}"` && waitSeconds !== undefined) await nextChange(signal);
        return { kind: 'checkout', checkout: checkoutNow(), etag: `"${version}"` };
      },
      createInvoice({ payment_method_id }) {
        deadline = performance.now() + lifetimeMs;
        const id = `inv_${version + 1}`;
        const invoice = {
          id,
          amount: order.amount ?? '0',
          service_status: 'PENDING',
          ...requisites[payment_method_id],
        };
        change({ status: 'pending', paid_at: null, invoice });
        return Promise.resolve({ kind: 'created', checkout: checkoutNow() });
      },
    },
  };
}
