import { assert } from '@open-wc/testing';
import { makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import '../../src/pay-invoice.ts';
import { loadedPaymentScreens } from '../../src/view/controllers/payment-screens-loader.ts';

// This test has a file of its own, because a page loads the second file only once.
it('the ready event is dispatched once the requisites are rendered, also when their screen is loaded after the response', async () => {
  const widget = document.createElement('pay-invoice');
  widget.lang = 'ru';
  widget.transport = {
    read: () => Promise.resolve({ kind: 'checkout', checkout: makePendingCheckout(sbp), etag: undefined }),
    createInvoice: () => new Promise(() => undefined),
  };
  const readyEvent = new Promise((resolve) => widget.addEventListener('pay-invoice-ready', resolve, { once: true }));
  document.body.append(widget);
  assert.isUndefined(loadedPaymentScreens());
  await readyEvent;
  assert.isNotNull(widget.shadowRoot?.querySelector('[part=requisites]'));
  widget.remove();
});
