import { assert } from '@open-wc/testing';
import { makeEndedCheckout, paidWithOtherAmount, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { CheckoutError, type CheckoutTransport, type ReadAnswer, type ReadRequest } from '../../src/core.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import { findAll, findButton, mount, rootOf, textOf, until } from './widget-from-source.ts';

const pastDeadline = makePendingCheckout({ ...sbp, expires_in_ms: 0 });

/** A backend that returns its checkout for the first read. Each later read is held until the test calls `endRead`. */
class HeldReadBackend implements CheckoutTransport {
  /** Ends the read that is held now. It is undefined while no read is held. */
  endRead: ((result: ReadAnswer | CheckoutError) => void) | undefined;
  #reads = 0;
  readonly #checkout: Checkout;

  constructor(checkout: Checkout) {
    this.#checkout = checkout;
  }

  read(): Promise<ReadAnswer> {
    this.#reads += 1;
    if (this.#reads === 1) return Promise.resolve({ kind: 'checkout', checkout: this.#checkout, etag: '"1"' });
    return new Promise((resolve, reject) => {
      this.endRead = (result) => {
        this.endRead = undefined;
        if (result instanceof CheckoutError) reject(result);
        else resolve(result);
      };
    });
  }

  createInvoice(): Promise<never> {
    return new Promise(() => undefined);
  }
}

const announcedText = (widget: Element): string => textOf(rootOf(widget).querySelector('[role=status]'));
const resultOf = (widget: Element): string => findAll(widget, '.checked').map(textOf).join();

/** Clicks the button of the check, lets its reads end with `result`, and returns the widget after the check. */
async function checkPayment(checkout: Checkout, result: ReadAnswer | CheckoutError): Promise<Element> {
  const backend = new HeldReadBackend(checkout);
  const widget = await mount(backend, 'en');
  const buttonName = /^(Check payment|Refresh)$/;
  await until('the button', () => findAll(widget, '[part=actions] button').some((one) => buttonName.test(textOf(one))));
  findButton(widget, buttonName).click();
  const runningLabel = 'Checking…';
  await until('the label of a running check', () =>
    findAll(widget, 'button').some((one) => textOf(one) === runningLabel),
  );
  assert.equal(announcedText(widget), runningLabel);
  await until('the end of the check', () => {
    backend.endRead?.(result);
    return findAll(widget, 'button').every((one) => textOf(one) !== runningLabel);
  });
  return widget;
}

const checkedAt = '2031-01-01T00:07:00.000Z';

/** The answer of a backend that has asked the service at `checkedAt`. */
const checkedResult = (checkout: Checkout): ReadAnswer => ({
  kind: 'checkout',
  checkout: { ...checkout, invoice: checkout.invoice && { ...checkout.invoice, checked_at: checkedAt } },
  etag: '"2"',
});

describe('a check that the payer requests', () => {
  it('reports that it is running, and then the time and that no payment was received', async () => {
    const pattern = /^We do not see it yet\. Checked at \d+:\d\d [AP]M\./;
    const widget = await checkPayment(pastDeadline, checkedResult(pastDeadline));
    // How often the page looks by itself is only shown.
    assert.match(resultOf(widget), new RegExp(`${pattern.source} We check every 2\\ss\\.$`));
    assert.match(announcedText(widget), new RegExp(`${pattern.source}$`));
  });

  it('reports that no payment was received, also after an expired and a failed invoice', async () => {
    for (const status of ['expired', 'failed'] as const)
      assert.match(
        resultOf(await checkPayment(makeEndedCheckout(status), checkedResult(makeEndedCheckout(status)))),
        /^We do not see it yet\. Checked at .* We check every 60\ss\.$/,
      );
  });

  it('asks the backend to ask the service, with one read that the checkout always answers', async () => {
    const requests: ReadRequest[] = [];
    const widget = await mount(
      {
        read: (request) => {
          requests.push(request);
          const checkout = makeEndedCheckout(requests.length < 2 ? 'expired' : 'paid');
          return Promise.resolve({ kind: 'checkout', checkout, etag: `"${requests.length}"` });
        },
        createInvoice: () => new Promise(() => undefined),
      },
      'en',
    );
    findButton(widget, /^Check payment$/).click();
    await until('paid', () => textOf(rootOf(widget).querySelector('h3')) === 'Payment received');
    assert.deepEqual(requests, [{ etag: undefined }, { etag: undefined, check: true }]);
  });

  it('shows when the service was asked, whatever the clocks of the device and of the answer show', async () => {
    const result = resultOf(await checkPayment(pastDeadline, checkedResult(pastDeadline)));
    assert.match(result, /Checked at \d+:07 /);
  });

  it('shows no time where the backend does not say when the service was asked', async () => {
    const result: ReadAnswer = { kind: 'checkout', checkout: pastDeadline, etag: '"2"' };
    assert.match(resultOf(await checkPayment(pastDeadline, result)), /^We do not see it yet\. We check every 2\ss\.$/);
  });

  it('shows no result of another checkout', async () => {
    const widget = await checkPayment(pastDeadline, checkedResult(pastDeadline));
    assert.match(resultOf(widget), /We do not see it yet/);
    Object.assign(widget, {
      initial: { ...pastDeadline, id: 'co_other', server_time: '2032-01-01T00:00:00Z' },
      checkout: 'chk_other',
    });
    await until('the other checkout', () => !resultOf(widget).includes('We do not see it yet'));
  });

  it('reports a lost connection when the read fails, and when the service does not answer', async () => {
    const staleResult: ReadAnswer = { kind: 'checkout', checkout: { ...pastDeadline, stale: true }, etag: '"2"' };
    for (const [result, text] of [
      [new CheckoutError('network', 'no response'), 'The connection was lost. We keep checking.'],
      [staleResult, 'News of the payment is delayed. We keep checking.'],
    ] as const)
      assert.equal(resultOf(await checkPayment(pastDeadline, result)), text);
  });

  it('reports its time only, and no missing payment, while the shop checks the received amount', async () => {
    assert.match(resultOf(await checkPayment(paidWithOtherAmount, checkedResult(paidWithOtherAmount))), /^Checked at /);
  });

  it('shows no result once the payment has arrived', async () => {
    const paidResult: ReadAnswer = { kind: 'checkout', checkout: makeEndedCheckout('paid'), etag: '"2"' };
    const widget = await checkPayment(pastDeadline, paidResult);
    await until('paid', () => textOf(rootOf(widget).querySelector('h3')) === 'Payment received');
    assert.equal(resultOf(widget), '');
    // The heading has the focus, which reads it.
    assert.equal(announcedText(widget), '₽1,500 paid.');
  });
});
