import { assert } from '@open-wc/testing';
import { links as paymentLinks, open, pending } from '../../demo/gallery-checkouts.ts';
import type { CheckoutTransport, ReadAnswer } from '../../src/core.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import type { Checkout } from '../../src/protocol.ts';
import '../../src/pay-invoice.ts';
import { find, until } from './render-widget.ts';

/** The limit after which placeholders are shown, in ms. */
const limit = 100;

const transport = (answer: Promise<ReadAnswer>): CheckoutTransport => ({
  read: () => answer,
  createInvoice: () => Promise.reject(new Error('no create request expected')),
});
const answerOf = (checkout: Checkout): ReadAnswer => ({ kind: 'checkout', checkout, etag: '"1"' });
const never = new Promise<ReadAnswer>(() => undefined);

describe('the first screen', () => {
  const setTimeout = window.setTimeout.bind(window);
  const links: HTMLLinkElement[] = [];
  let passLimit = (): void => undefined;

  // The limit passes only when a test calls `passLimit`.
  beforeEach(() => {
    window.setTimeout = ((work: () => void, delay?: number) => {
      if (delay !== limit) return setTimeout(work, delay);
      passLimit = work;
      return 0;
    }) as typeof window.setTimeout;
  });

  afterEach(() => {
    window.setTimeout = setTimeout;
    for (const link of links.splice(0)) link.remove();
  });

  /** Adds a link with these properties: `as: 'fetch'` announces that the page has requested the checkout. */
  function addLink(properties: Partial<HTMLLinkElement>): void {
    const link = Object.assign(document.createElement('link'), properties);
    links.push(link);
    document.head.append(link);
  }

  async function mount(reads: Promise<ReadAnswer>): Promise<PayInvoiceElement> {
    const widget = document.createElement('pay-invoice');
    widget.lang = 'ru';
    widget.transport = transport(reads);
    document.body.append(widget);
    await new Promise((resolve) => setTimeout(resolve));
    return widget;
  }

  // The first test: a page loads these files once.
  it('has the QR of an invoice whose files and response the page has announced, and no placeholders before it', async () => {
    addLink({ as: 'fetch' });
    addLink({ href: '/pay-invoice.qr-drawing-hash.js' });
    const widget = await mount(Promise.resolve(answerOf(pending(paymentLinks))));
    assert.isFalse(widget.hasUpdated);
    await widget.updateComplete;
    find(widget, 'svg[part=qr]', SVGSVGElement);
    widget.remove();
  });

  it('has placeholders while a response is awaited that the page has not announced', async () => {
    const widget = await mount(never);
    await until('the first render', () => widget.hasUpdated);
    find(widget, '.skeleton', HTMLElement);
    widget.remove();
  });

  it('has the options of a response that the page has announced, and no placeholders before them', async () => {
    addLink({ as: 'fetch' });
    let answer: (answer: ReadAnswer) => void = () => undefined;
    const widget = await mount(new Promise((resolve) => (answer = resolve)));
    assert.isFalse(widget.hasUpdated);
    answer(answerOf(open));
    await until('the first render', () => widget.hasUpdated);
    find(widget, '[part=method]', HTMLElement);
    widget.remove();
  });

  it('has placeholders where the announced response takes too long', async () => {
    addLink({ as: 'fetch' });
    const widget = await mount(never);
    assert.isFalse(widget.hasUpdated);
    passLimit();
    await until('the first render', () => widget.hasUpdated);
    find(widget, '.skeleton', HTMLElement);
    widget.remove();
  });
});
