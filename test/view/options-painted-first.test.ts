import { assert } from '@open-wc/testing';
import { checkoutWithoutInvoice } from '../../demo/gallery-checkouts.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import '../../src/pay-invoice.ts';
import { loadPaymentChunk } from '../../src/view/load-payment-chunk.ts';

// These tests have a file of their own, because a page loads the payment chunk only once. The first test
// requests it, and the second test loads it.

/** The longest wait for a paint, in ms. It is for hidden pages, which are never painted. */
const longestWaitMs = 300;

const requestAnimationFrame = window.requestAnimationFrame.bind(window);
const setTimeout = window.setTimeout.bind(window);
const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTask();
}

const countChunkRequests = async (): Promise<string> => (await fetch('/payment-chunk-requests')).text();

describe('options', () => {
  const frames: FrameRequestCallback[] = [];
  const delays: (number | undefined)[] = [];
  const paint = (): void => frames.splice(0).forEach((callback) => callback(performance.now()));

  before(() => fetch('/hold-payment-chunk'));
  after(() => fetch('/release-payment-chunk'));

  beforeEach(() => {
    frames.length = delays.length = 0;
    window.requestAnimationFrame = (callback) => frames.push(callback);
    window.setTimeout = ((work: () => void, delay?: number) => {
      delays.push(delay);
      return delay === longestWaitMs ? 0 : setTimeout(work, delay);
    }) as typeof window.setTimeout;
  });

  afterEach(() => {
    Object.assign(window, { requestAnimationFrame, setTimeout });
    document.querySelector('pay-invoice')?.remove();
  });

  async function mountWithOptions(properties: Partial<PayInvoiceElement>): Promise<PayInvoiceElement> {
    const widget = document.createElement('pay-invoice');
    widget.transport = {
      read: () => Promise.resolve({ kind: 'checkout', checkout: checkoutWithoutInvoice, etag: '"1"' }),
      createInvoice: () => Promise.reject(new Error('no create request expected')),
    };
    Object.assign(widget, properties);
    document.body.append(widget);
    await until(() => widget.shadowRoot?.querySelector('[part~=method]') != null);
    return widget;
  }

  it('that come with the page are painted before the file of the payment chunk is requested', async () => {
    const requests = await countChunkRequests();
    await mountWithOptions({ initial: checkoutWithoutInvoice });
    paint();
    await nextTask();
    assert.equal(await countChunkRequests(), requests);
    paint();
    while ((await countChunkRequests()) === requests);
  });

  it('are painted before the session is opened', async () => {
    const widget = await mountWithOptions({});
    await fetch('/release-payment-chunk');
    await loadPaymentChunk();
    await until(() => frames.length > 0);
    // The styles of the payment screens come with the session.
    const countSheets = (): number => widget.shadowRoot?.adoptedStyleSheets.length ?? NaN;
    const initialCount = countSheets();
    paint();
    await nextTask();
    assert.equal(countSheets(), initialCount);
    paint();
    await until(() => countSheets() === initialCount + 1);
    assert.include(delays, longestWaitMs);
  });
});
