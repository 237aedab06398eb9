import { assert } from '@open-wc/testing';
import { makeEndedCheckout, paidWithOtherAmount, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { CheckoutError, type CheckoutTransport, type ReadAnswer } from '../../src/core.ts';
import type { Checkout } from '../../src/protocol.ts';
import { findAll, findButton, mount, rootOf, textOf, until } from './render-widget.ts';

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
async function checkPayment(checkout: Checkout, lang: string, result: ReadAnswer | CheckoutError): Promise<Element> {
  const backend = new HeldReadBackend(checkout);
  const widget = await mount(backend, lang);
  const buttonName =
    { en: /^I have paid, check$/, ru: /^Уже оплачено, проверить$/, kk: /^Төледім, тексеру$/ }[lang] ?? /^$/;
  await until('the button', () => findAll(widget, '[part=actions] button').some((one) => buttonName.test(textOf(one))));
  findButton(widget, buttonName).click();
  const runningLabel = { en: 'Checking…', ru: 'Проверяем…', kk: 'Тексерілуде…' }[lang] ?? '';
  await until('the label of a running check', () =>
    findAll(widget, 'button').some((one) => textOf(one) === runningLabel),
  );
  assert.equal(announcedText(widget), runningLabel);
  // A check reads the checkout twice when the invoice has ended.
  await until('the end of the check', () => {
    backend.endRead?.(result);
    return findAll(widget, 'button').every((one) => textOf(one) !== runningLabel);
  });
  return widget;
}

const unchangedResult: ReadAnswer = { kind: 'unchanged' };

describe('a check that the payer requests', () => {
  for (const [lang, pattern] of [
    ['en', /^We do not see it yet\. Checked at \d+:\d\d .*\.$/],
    ['ru', /^Оплаты пока не видно\. Проверили в \d\d:\d\d .*\.$/],
    ['kk', /^Төлем әзірге көрінбейді\. Тексерілген уақыты: \d\d:\d\d .*\.$/],
  ] as const)
    it(`reports that it is running, and then the time and that no payment was received: in ${lang}`, async () => {
      const widget = await checkPayment(pastDeadline, lang, unchangedResult);
      assert.match(resultOf(widget), pattern);
      assert.match(announcedText(widget), pattern);
    });

  it('reports that no payment was received, also after an expired and a failed invoice', async () => {
    for (const status of ['expired', 'failed'] as const)
      assert.match(
        resultOf(await checkPayment(makeEndedCheckout(status), 'en', unchangedResult)),
        /^We do not see it yet\. Checked at /,
      );
  });

  it('waits for the result of the fetch that it causes, when the invoice has ended', async () => {
    let reads = 0;
    const widget = await mount(
      {
        read: () => {
          reads += 1;
          const checkout = makeEndedCheckout(reads < 3 ? 'expired' : 'paid');
          return Promise.resolve({ kind: 'checkout', checkout, etag: `"${reads}"` });
        },
        createInvoice: () => new Promise(() => undefined),
      },
      'en',
    );
    findButton(widget, /^I have paid, check$/).click();
    await until('paid', () => textOf(rootOf(widget).querySelector('h3')) === 'Paid');
    assert.equal(reads, 3);
  });

  it('shows the time of the server, whatever the clock of the device shows', async () => {
    const checkout = { ...pastDeadline, server_time: '2031-01-01T00:07:00.000Z' };
    assert.match(resultOf(await checkPayment(checkout, 'en', unchangedResult)), /Checked at \d+:0[78] /);
  });

  it('reports a lost connection when the read fails, and when the service does not answer', async () => {
    const staleResult: ReadAnswer = { kind: 'checkout', checkout: { ...pastDeadline, stale: true }, etag: '"2"' };
    for (const result of [new CheckoutError('network', 'no response'), staleResult])
      assert.equal(
        resultOf(await checkPayment(pastDeadline, 'en', result)),
        'The connection was lost. We keep checking the payment.',
      );
  });

  it('reports its time only, and no missing payment, while the shop checks the received amount', async () => {
    assert.match(resultOf(await checkPayment(paidWithOtherAmount, 'en', unchangedResult)), /^Checked at /);
  });

  it('shows no result once the payment has arrived', async () => {
    const paidResult: ReadAnswer = { kind: 'checkout', checkout: makeEndedCheckout('paid'), etag: '"2"' };
    const widget = await checkPayment(pastDeadline, 'en', paidResult);
    await until('paid', () => textOf(rootOf(widget).querySelector('h3')) === 'Paid');
    assert.equal(resultOf(widget), '');
    assert.match(announcedText(widget), /^Paid\./);
  });
});
