import { assert, expect, fixture, html } from '@open-wc/testing';
import { transportOf } from '../../demo/gallery-states.ts';
import { makeEndedCheckout, checkoutWithoutInvoice, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import { findAll, rootOf, stateNamed, textOf } from './widget-from-source.ts';

describe('the first render', () => {
  it('shows the checkout that the property `initial` has, without a request', async () => {
    const transportWithoutResponses = transportOf(stateNamed('loading'));
    const widget = await fixture<PayInvoiceElement>(
      html`<pay-invoice
        lang="ru"
        .initial=${checkoutWithoutInvoice}
        .transport=${transportWithoutResponses}
      ></pay-invoice>`,
    );
    assert.equal(widget.state.status, 'choosing');
    assert.equal(findAll(widget, '[type=radio]').length, 4);
  });

  it('uses the JSON inside the tag only for the checkout attribute with which it came', async () => {
    const json = JSON.stringify(checkoutWithoutInvoice);
    const widget = await fixture<PayInvoiceElement>(
      html`<pay-invoice lang="ru" checkout="chk_gallery" endpoint="/nowhere"
        ><script type="application/json">
          ${json}
        </script></pay-invoice
      >`,
    );
    assert.equal(widget.state.status, 'choosing');
    widget.checkout = 'chk_another';
    await widget.updateComplete;
    assert.equal(widget.state.status, 'loading');
  });

  it('never shows an invoice of the former checkout when the page changes the checkout alone', async () => {
    const widget = await fixture<PayInvoiceElement>(
      html`<pay-invoice
        lang="ru"
        checkout="chk_1"
        endpoint="/nowhere"
        .initial=${makePendingCheckout(sbp)}
      ></pay-invoice>`,
    );
    assert.equal(widget.state.status, 'waiting');
    // Older than what is shown, and so not used. It is of the former checkout all the same.
    widget.initial = { ...checkoutWithoutInvoice, server_time: '2020-01-01T00:00:00Z' };
    await widget.updateComplete;
    widget.checkout = 'chk_2';
    await widget.updateComplete;
    assert.equal(widget.state.status, 'loading');
    Object.assign(widget, { checkout: 'chk_3', initial: { ...checkoutWithoutInvoice, id: 'co_3' } });
    await widget.updateComplete;
    assert.equal(widget.state.status, 'choosing');
  });

  it('is updated by a newer checkout that is set later, and never by an older one', async () => {
    const widget = await fixture<PayInvoiceElement>(
      html`<pay-invoice
        lang="ru"
        .initial=${checkoutWithoutInvoice}
        .transport=${transportOf(stateNamed('loading'))}
      ></pay-invoice>`,
    );
    const timeAt = (seconds: number): string => `2026-11-20T10:00:0${seconds}.000Z`;
    const updates: readonly (readonly [status: string, checkout: Checkout])[] = [
      ['waiting', { ...makePendingCheckout(sbp), server_time: timeAt(2) }],
      ['waiting', { ...checkoutWithoutInvoice, server_time: timeAt(1) }],
      ['waiting', { ...checkoutWithoutInvoice, server_time: '2026-11-20T12:00:02+02:00' }],
      ['waiting', { ...makeEndedCheckout('paid'), server_time: timeAt(3), id: 'co_another' }],
      ['paid', { ...makeEndedCheckout('paid'), server_time: timeAt(4) }],
      ['paid', { ...makeEndedCheckout('failed'), server_time: timeAt(5) }],
    ];
    for (const [status, checkout] of updates) {
      widget.initial = checkout;
      await widget.updateComplete;
      assert.equal(widget.state.status, status);
    }
  });

  it('renders nothing without a checkout, and logs an error for the developer', async () => {
    const { error } = console;
    const logged: unknown[] = [];
    console.error = (...args: unknown[]) => logged.push(...args);
    const widget = await fixture<PayInvoiceElement>(html`<pay-invoice lang="ru"></pay-invoice>`);
    console.error = error;
    expect(String(logged[0])).to.contain('checkout');
    assert.equal(textOf(rootOf(widget).querySelector('[part=base]')), '');
  });
});
