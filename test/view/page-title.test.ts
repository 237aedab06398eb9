import { assert } from '@open-wc/testing';
import { makeEndedCheckout, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import { Backend } from './changeable-backend.ts';
import { findButton, mount, until } from './widget-from-source.ts';

/** Puts the page into the background, or back into the foreground. */
function setPageVisible(isVisible: boolean): void {
  Object.defineProperty(document, 'hidden', { configurable: true, value: !isVisible });
  document.dispatchEvent(new Event('visibilitychange'));
}

async function mountWithPageTitle(backend: Backend): Promise<PayInvoiceElement> {
  const widget = await mount(backend, 'en');
  widget.pageTitle = true;
  await until('a state', () => widget.state.status !== 'loading');
  await widget.updateComplete;
  return widget;
}

async function changeStatus(widget: PayInvoiceElement, backend: Backend, status: 'paid' | 'failed'): Promise<void> {
  backend.setCheckout(makeEndedCheckout(status));
  await widget.refresh();
  await until(status, () => widget.state.status === status);
  await widget.updateComplete;
}

describe('the title of the page', () => {
  beforeEach(() => (document.title = 'Shop'));
  afterEach(() => {
    Reflect.deleteProperty(document, 'hidden');
    document.title = '';
  });

  it('begins with the outcome while the page is in the background, and is restored when the payer returns', async () => {
    const backend = new Backend(makePendingCheckout(sbp));
    const widget = await mountWithPageTitle(backend);
    setPageVisible(false);
    await widget.updateComplete;
    assert.equal(document.title, 'Shop');
    await changeStatus(widget, backend, 'failed');
    assert.equal(document.title, 'Payment failed · Shop');
    await changeStatus(widget, backend, 'paid');
    assert.equal(document.title, '✓ Paid · Shop');
    setPageVisible(true);
    await widget.updateComplete;
    assert.equal(document.title, 'Shop');
  });

  it('is not changed unless the merchant sets page-title', async () => {
    const backend = new Backend(makePendingCheckout(sbp));
    const widget = await mount(backend, 'en');
    setPageVisible(false);
    await changeStatus(widget, backend, 'paid');
    assert.equal(document.title, 'Shop');
    widget.pageTitle = true;
    await widget.updateComplete;
    assert.equal(document.title, '✓ Paid · Shop');
    widget.pageTitle = false;
    await widget.updateComplete;
    assert.equal(document.title, 'Shop');
  });

  it('is restored when several elements are removed in any order, and keeps the title that the page set meanwhile', async () => {
    const widgets = await Promise.all([
      mountWithPageTitle(new Backend(makeEndedCheckout('paid'))),
      mountWithPageTitle(new Backend(makeEndedCheckout('failed'))),
      mountWithPageTitle(new Backend(makeEndedCheckout('paid'))),
    ]);
    setPageVisible(false);
    await Promise.all(widgets.map((widget) => widget.updateComplete));
    assert.equal(document.title, '✓ Paid · Payment failed · ✓ Paid · Shop');
    document.title = document.title.replace('Shop', 'Thank you');
    widgets[1].remove();
    assert.equal(document.title, '✓ Paid · ✓ Paid · Thank you');
    widgets[2].remove();
    setPageVisible(true);
    await Promise.all(widgets.map((widget) => widget.updateComplete));
    assert.equal(document.title, 'Thank you');
  });

  it('becomes empty on a page without a title when the payer tries again, and when the element is removed', async () => {
    document.title = '';
    const widget = await mountWithPageTitle(new Backend(makeEndedCheckout('failed')));
    setPageVisible(false);
    await widget.updateComplete;
    assert.equal(document.title, 'Payment failed ·');
    findButton(widget, /Try again/).click();
    await until('the methods', () => widget.state.status === 'choosing');
    await widget.updateComplete;
    assert.equal(document.title, '');
    const secondWidget = await mountWithPageTitle(new Backend(makeEndedCheckout('paid')));
    assert.equal(document.title, '✓ Paid ·');
    secondWidget.remove();
    assert.equal(document.title, '');
  });
});
