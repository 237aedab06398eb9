import { assert } from '@open-wc/testing';
import { ended, paidWithOtherAmount, pending, sbp } from '../../demo/gallery-checkouts.ts';
import { CheckoutError, type CheckoutTransport, type ReadAnswer } from '../../src/core.ts';
import type { Checkout } from '../../src/protocol.ts';
import { all, button, mount, rootOf, textOf, until } from './render-widget.ts';

const pastDeadline = pending({ ...sbp, expires_in_ms: 0 });

/** A backend that returns its checkout for the first read. Each later read is held until the test calls `answer`. */
class CheckedBackend implements CheckoutTransport {
  /** Ends the read that is held. */
  answer: ((answer: ReadAnswer | CheckoutError) => void) | undefined;
  #reads = 0;
  readonly #checkout: Checkout;

  constructor(checkout: Checkout) {
    this.#checkout = checkout;
  }

  read(): Promise<ReadAnswer> {
    this.#reads += 1;
    if (this.#reads === 1) return Promise.resolve({ kind: 'checkout', checkout: this.#checkout, etag: '"1"' });
    return new Promise((resolve, reject) => {
      this.answer = (answer) => {
        this.answer = undefined;
        if (answer instanceof CheckoutError) reject(answer);
        else resolve(answer);
      };
    });
  }

  createInvoice(): Promise<never> {
    return new Promise(() => undefined);
  }
}

const announced = (widget: Element): string => textOf(rootOf(widget).querySelector('[role=status]'));
const resultOf = (widget: Element): string => all(widget, '.checked').map(textOf).join();

/** The widget after a click on the check's button, whose read has ended with `answer`. */
async function check(checkout: Checkout, lang: string, answer: ReadAnswer | CheckoutError): Promise<Element> {
  const backend = new CheckedBackend(checkout);
  const widget = await mount(backend, lang);
  const name = { en: /^I have paid, check$/, ru: /^Уже оплачено, проверить$/, kk: /^Төледім, тексеру$/ }[lang] ?? /^$/;
  await until('the button', () => all(widget, '[part=actions] button').some((one) => name.test(textOf(one))));
  button(widget, name).click();
  const running = { en: 'Checking…', ru: 'Проверяем…', kk: 'Тексерілуде…' }[lang] ?? '';
  await until('that a check is running', () => all(widget, 'button').some((one) => textOf(one) === running));
  assert.equal(announced(widget), running);
  // An invoice that has ended is read twice.
  await until('the end of the check', () => {
    backend.answer?.(answer);
    return all(widget, 'button').every((one) => textOf(one) !== running);
  });
  return widget;
}

const unchanged: ReadAnswer = { kind: 'unchanged' };

describe('a check that the payer requests', () => {
  for (const [lang, pattern] of [
    ['en', /^We do not see it yet\. Checked at \d+:\d\d .*\.$/],
    ['ru', /^Оплаты пока не видно\. Проверили в \d\d:\d\d .*\.$/],
    ['kk', /^Төлем әзірге көрінбейді\. Тексерілген уақыты: \d\d:\d\d .*\.$/],
  ] as const)
    it(`reports that it is running, and then that no payment was received, with the time: ${lang}`, async () => {
      const widget = await check(pastDeadline, lang, unchanged);
      assert.match(resultOf(widget), pattern);
      assert.match(announced(widget), pattern);
    });

  it('gives the same result after an expired and a failed invoice', async () => {
    for (const status of ['expired', 'failed'] as const)
      assert.match(resultOf(await check(ended(status), 'en', unchanged)), /^We do not see it yet\. Checked at /);
  });

  it('waits for the fetch that it causes of an invoice that has ended', async () => {
    let reads = 0;
    const widget = await mount(
      {
        read: () => {
          reads += 1;
          const checkout = ended(reads < 3 ? 'expired' : 'paid');
          return Promise.resolve({ kind: 'checkout', checkout, etag: `"${reads}"` });
        },
        createInvoice: () => new Promise(() => undefined),
      },
      'en',
    );
    button(widget, /^I have paid, check$/).click();
    await until('paid', () => textOf(rootOf(widget).querySelector('h3')) === 'Paid');
    assert.equal(reads, 3);
  });

  it('shows the time of the server, whatever the clock of the device shows', async () => {
    const checkout = { ...pastDeadline, server_time: '2031-01-01T00:07:00.000Z' };
    assert.match(resultOf(await check(checkout, 'en', unchanged)), /Checked at \d+:0[78] /);
  });

  it('reports a lost connection where nothing could be read or the service does not answer', async () => {
    const stale: ReadAnswer = { kind: 'checkout', checkout: { ...pastDeadline, stale: true }, etag: '"2"' };
    for (const answer of [new CheckoutError('network', 'no answer'), stale])
      assert.equal(
        resultOf(await check(pastDeadline, 'en', answer)),
        'The connection was lost. We keep checking the payment.',
      );
  });

  it('does not report that nothing was received while the shop checks the received amount', async () => {
    assert.match(resultOf(await check(paidWithOtherAmount, 'en', unchanged)), /^Checked at /);
  });

  it('shows no result once the payment has arrived', async () => {
    const paid: ReadAnswer = { kind: 'checkout', checkout: ended('paid'), etag: '"2"' };
    const widget = await check(pastDeadline, 'en', paid);
    await until('paid', () => textOf(rootOf(widget).querySelector('h3')) === 'Paid');
    assert.equal(resultOf(widget), '');
    assert.match(announced(widget), /^Paid\./);
  });
});
