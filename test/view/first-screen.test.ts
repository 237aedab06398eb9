import { assert } from '@open-wc/testing';
import { open } from '../../demo/gallery-checkouts.ts';
import type { CheckoutTransport, ReadAnswer } from '../../src/core.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import '../../src/pay-invoice.ts';
import { find, until } from './render-widget.ts';

/** The limit after which placeholders are shown, in ms. */
const limit = 100;

const transport = (answer: Promise<ReadAnswer>): CheckoutTransport => ({
  read: () => answer,
  createInvoice: () => Promise.reject(new Error('no create request expected')),
});
const answered = Promise.resolve<ReadAnswer>({ kind: 'checkout', checkout: open, etag: '"1"' });
const never = new Promise<ReadAnswer>(() => undefined);

describe('the first screen', () => {
  const setTimeout = window.setTimeout.bind(window);
  let requestLink: HTMLLinkElement | undefined;
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
    requestLink?.remove();
  });

  /** Adds the link by which a page announces that it has requested the checkout. */
  function addRequestLink(): void {
    requestLink = Object.assign(document.createElement('link'), { as: 'fetch' });
    document.head.append(requestLink);
  }

  async function mount(reads: Promise<ReadAnswer>): Promise<PayInvoiceElement> {
    const widget = document.createElement('pay-invoice');
    widget.lang = 'ru';
    widget.transport = transport(reads);
    document.body.append(widget);
    await new Promise((resolve) => setTimeout(resolve));
    return widget;
  }

  it('has placeholders while a response is awaited that the page has not announced', async () => {
    const widget = await mount(never);
    await until('the first render', () => widget.hasUpdated);
    find(widget, '.skeleton', HTMLElement);
    widget.remove();
  });

  it('has the options of a response that the page has announced, and no placeholders before them', async () => {
    addRequestLink();
    let answer: (answer: ReadAnswer) => void = () => undefined;
    const widget = await mount(new Promise((resolve) => (answer = resolve)));
    assert.isFalse(widget.hasUpdated);
    answer(await answered);
    await until('the first render', () => widget.hasUpdated);
    find(widget, '[part=method]', HTMLElement);
    widget.remove();
  });

  it('has placeholders where the announced response takes too long', async () => {
    addRequestLink();
    const widget = await mount(never);
    assert.isFalse(widget.hasUpdated);
    passLimit();
    await until('the first render', () => widget.hasUpdated);
    find(widget, '.skeleton', HTMLElement);
    widget.remove();
  });
});
