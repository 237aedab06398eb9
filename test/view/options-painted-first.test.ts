import { assert } from '@open-wc/testing';
import { open } from '../../demo/gallery-checkouts.ts';
import '../../src/pay-invoice.ts';
import { loadPaymentPart } from '../../src/view/load-payment-part.ts';

// In a file of its own, because a page loads the second file once.

const tasks = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

describe('the session of a checkout whose options are shown first', () => {
  it('is opened once the options have been painted', async () => {
    const requestAnimationFrame = window.requestAnimationFrame.bind(window);
    const setTimeout = window.setTimeout.bind(window);
    const frames: FrameRequestCallback[] = [];
    window.requestAnimationFrame = (callback) => frames.push(callback);
    const delays: (number | undefined)[] = [];
    window.setTimeout = ((work: () => void, delay?: number) => {
      delays.push(delay);
      return delay === 300 ? 0 : setTimeout(work, delay); // the limit for pages that are hidden
    }) as typeof window.setTimeout;
    const paint = (): void => frames.splice(0).forEach((callback) => callback(performance.now()));

    const widget = document.createElement('pay-invoice');
    widget.transport = {
      read: () => Promise.resolve({ kind: 'checkout', checkout: open, etag: '"1"' }),
      createInvoice: () => Promise.reject(new Error('nobody asks for it')),
    };
    document.body.append(widget);
    await loadPaymentPart();
    await tasks();
    assert.isNotNull(widget.shadowRoot?.querySelector('[part~=method]') ?? null);
    // The styles of the payment screens come with the session.
    const sheets = (): number => widget.shadowRoot?.adoptedStyleSheets.length ?? NaN;
    const before = sheets();
    paint();
    await tasks();
    assert.equal(sheets(), before);
    paint();
    await tasks();
    assert.equal(sheets(), before + 1);
    assert.include(delays, 300);
    widget.remove();
    Object.assign(window, { requestAnimationFrame, setTimeout });
  });
});
