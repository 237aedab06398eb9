import { assert } from '@open-wc/testing';
import { checkoutWithoutInvoice } from '../../demo/gallery-checkouts.ts';
import '../../src/pay-invoice.ts';
import { loadPaymentChunk } from '../../src/view/load-payment-chunk.ts';

// This test has a file of its own, because a page loads the payment chunk only once.

const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTask();
}

describe('the session of a checkout whose options are shown first', () => {
  it('is opened only after the options have been painted', async () => {
    const requestAnimationFrame = window.requestAnimationFrame.bind(window);
    const setTimeout = window.setTimeout.bind(window);
    const frames: FrameRequestCallback[] = [];
    window.requestAnimationFrame = (callback) => frames.push(callback);
    const delays: (number | undefined)[] = [];
    window.setTimeout = ((work: () => void, delay?: number) => {
      delays.push(delay);
      return delay === 300 ? 0 : setTimeout(work, delay); // The longest wait for a paint. It is for hidden pages, which are never painted.
    }) as typeof window.setTimeout;
    const paint = (): void => frames.splice(0).forEach((callback) => callback(performance.now()));

    const widget = document.createElement('pay-invoice');
    widget.transport = {
      read: () => Promise.resolve({ kind: 'checkout', checkout: checkoutWithoutInvoice, etag: '"1"' }),
      createInvoice: () => Promise.reject(new Error('no create request expected')),
    };
    document.body.append(widget);
    await loadPaymentChunk();
    await until(() => widget.shadowRoot?.querySelector('[part~=method]') != null && frames.length > 0);
    // The styles of the payment screens come with the session.
    const countSheets = (): number => widget.shadowRoot?.adoptedStyleSheets.length ?? NaN;
    const initialCount = countSheets();
    paint();
    await nextTask();
    assert.equal(countSheets(), initialCount);
    paint();
    await until(() => countSheets() === initialCount + 1);
    assert.include(delays, 300);
    widget.remove();
    Object.assign(window, { requestAnimationFrame, setTimeout });
  });
});
