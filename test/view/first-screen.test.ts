import { assert } from '@open-wc/testing';
import { links as paymentLinks, checkoutWithoutInvoice, makePendingCheckout } from '../../demo/gallery-checkouts.ts';
import type { CheckoutTransport, ReadAnswer } from '../../src/core.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import '../../src/pay-invoice.ts';
import { encodeQr } from '../../src/base/qr-encoder.ts';
import { find, until } from './widget-from-source.ts';

/** The time without a response after which placeholders are shown. */
const placeholderDelayMs = 100;

const createTransport = (response: Promise<ReadAnswer>): CheckoutTransport => ({
  read: () => response,
  createInvoice: () => Promise.reject(new Error('no create request expected')),
});
const responseOf = (checkout: Checkout): ReadAnswer => ({ kind: 'checkout', checkout, etag: '"1"' });
const endlessResponse = new Promise<ReadAnswer>(() => undefined);

describe('the first screen', () => {
  const setTimeout = window.setTimeout.bind(window);
  const addedLinks: HTMLLinkElement[] = [];
  let endPlaceholderDelay = (): void => undefined;

  // The delay ends only when a test calls `endPlaceholderDelay`.
  beforeEach(() => {
    window.setTimeout = ((work: () => void, delay?: number) => {
      if (delay !== placeholderDelayMs) return setTimeout(work, delay);
      endPlaceholderDelay = work;
      return 0;
    }) as typeof window.setTimeout;
  });

  afterEach(() => {
    window.setTimeout = setTimeout;
    for (const link of addedLinks.splice(0)) link.remove();
  });

  /** Adds a link with these properties: `as: 'fetch'` and the address of the checkout mean that the page preloads it. */
  function addLink(properties: Partial<HTMLLinkElement>): void {
    const link = Object.assign(document.createElement('link'), properties);
    addedLinks.push(link);
    document.head.append(link);
  }

  const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

  function mount(response: Promise<ReadAnswer>): PayInvoiceElement {
    const widget = document.createElement('pay-invoice');
    widget.lang = 'ru';
    widget.checkout = 'chk_1';
    widget.transport = createTransport(response);
    document.body.append(widget);
    return widget;
  }

  // This test comes first, because a page loads these files only once.
  it('has the QR of an invoice, and no placeholders before it, where the page has preloaded the response', async () => {
    addLink({ as: 'fetch', href: '/checkout/chk_1' });
    const widget = mount(
      Promise.resolve(responseOf(makePendingCheckout({ ...paymentLinks, qr: encodeQr(paymentLinks.nspk_url) }))),
    );
    await widget.updateComplete; // It resolves after the first render.
    find(widget, 'canvas[part=qr]', HTMLCanvasElement);
    widget.remove();
  });

  it('has placeholders until the response, where the page has not preloaded it', async () => {
    const widget = mount(endlessResponse);
    await until('the first render', () => widget.hasUpdated);
    find(widget, '.skeleton', HTMLElement);
    widget.remove();
  });

  it('has the options, and no placeholders before them, where the page has preloaded the response', async () => {
    addLink({ as: 'fetch', href: '/checkout/chk_1' });
    let resolveRead: (response: ReadAnswer) => void = () => undefined;
    const widget = mount(new Promise((resolve) => (resolveRead = resolve)));
    await nextTask();
    assert.isFalse(widget.hasUpdated);
    resolveRead(responseOf(checkoutWithoutInvoice));
    await until('the first render', () => widget.hasUpdated);
    find(widget, '[part=method]', HTMLElement);
    widget.remove();
  });

  it('has placeholders where the preloaded response takes too long', async () => {
    addLink({ as: 'fetch', href: '/checkout/chk_1' });
    const widget = mount(endlessResponse);
    await nextTask();
    assert.isFalse(widget.hasUpdated);
    endPlaceholderDelay();
    await until('the first render', () => widget.hasUpdated);
    find(widget, '.skeleton', HTMLElement);
    widget.remove();
  });
});
