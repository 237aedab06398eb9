import { assert } from '@open-wc/testing';
import { makeEndedCheckout, paidWithOtherAmount, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import type { CheckoutTransport } from '../../src/core.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import { Backend } from './changeable-backend.ts';
import { findAll, findButton, mount, mountState, rootOf, textOf, until } from './render-widget.ts';

const buttonsOf = (widget: Element): string[] => findAll(widget, '[part=actions] button').map(textOf);
const headingOf = (widget: Element): string => textOf(rootOf(widget).querySelector('h3'));
const pastDeadline = makePendingCheckout({ ...sbp, expires_in_ms: 0 });

describe('a payment whose time is up', () => {
  for (const name of ['checking', 'expired'])
    it(`offers a check first, and a new invoice second: in the state ${name}`, async () => {
      for (const [lang, labels] of [
        ['ru', ['Проверить оплату', 'Оплатить заново']],
        ['en', ['Check payment', 'Pay again']],
      ] as const) {
        const widget = await mountState(name, lang);
        assert.deepEqual(buttonsOf(widget), [...labels]);
        // While the payment is checked anyway, nothing has to be done.
        assert.equal(textOf(rootOf(widget).querySelector('.main')), name === 'expired' ? labels[0] : '');
        assert.match(
          textOf(rootOf(widget).querySelector('[part=outcome]')),
          /перевели(?: деньги|\?)|sent (?:the money|it)/,
        );
      }
    });

  for (const [name, checkout] of Object.entries({ checking: pastDeadline, expired: makeEndedCheckout('expired') }))
    it(`creates a new invoice only after a confirmation, whose heading has the focus: in the state ${name}`, async () => {
      const widget = await mount(new Backend(checkout), 'en');
      await until('the buttons', () => rootOf(widget).querySelector('[part=actions]'));
      findButton(widget, /^Pay again$/).click();
      await until('the question', () => headingOf(widget) === 'Have you already sent the money?');
      assert.equal(textOf(rootOf(widget).activeElement), 'Have you already sent the money?');
      assert.deepEqual(buttonsOf(widget), ['Yes, check payment', 'No, pay again']);
      assert.notEqual(widget.state.status, 'choosing');
      findButton(widget, /^No, pay again/).click();
      await until('the methods', () => widget.state.status === 'choosing');
    });

  it('is replaced by a new invoice of the same method, which the create request marks with `replace`', async () => {
    const requests: unknown[] = [];
    const backend = new Backend(pastDeadline);
    const transport: CheckoutTransport = {
      read: (request, signal) => backend.read(request, signal),
      createInvoice(request) {
        requests.push(request);
        return backend.createInvoice();
      },
    };
    const widget = await mount(transport, 'en');
    await until('the buttons', () => rootOf(widget).querySelector('[part=actions]'));
    findButton(widget, /^Pay again$/).click();
    await until('the question', () => headingOf(widget).startsWith('Have you'));
    findButton(widget, /^No, pay again/).click();
    const continueButton = await until('the methods', () =>
      rootOf(widget).querySelector<HTMLElement>('[part=continue]'),
    );
    continueButton.click();
    await until('a new invoice', () => widget.state.status === 'waiting' && !widget.state.verifyingExpiry);
    assert.deepInclude(requests[0], { payment_method_id: 'pm_sbp', replace: true });
  });

  it('shows the outcome instead of the confirmation after a check, which reads the checkout', async () => {
    const backend = new Backend(makeEndedCheckout('expired'));
    const widget = await mount(backend, 'en');
    await until('the buttons', () => rootOf(widget).querySelector('[part=actions]'));
    findButton(widget, /^Pay again$/).click();
    await until('the question', () => headingOf(widget).startsWith('Have you'));
    const { reads } = backend;
    findButton(widget, /^Yes, check payment$/).click();
    await until('the end', () => headingOf(widget) === 'Payment time has run out');
    assert.isAbove(backend.reads, reads);
    findButton(widget, /^Pay again$/).click();
    await until('the question again', () => headingOf(widget).startsWith('Have you'));
    assert.notEqual(widget.state.status, 'choosing');
  });

  for (const [name, checkout] of Object.entries({ checking: pastDeadline, expired: makeEndedCheckout('expired') }))
    it(`becomes paid when the bank confirms late, also while the confirmation is shown: in the state ${name}`, async () => {
      const backend = new Backend(checkout);
      const widget = await mount(backend, 'en');
      await until('the buttons', () => rootOf(widget).querySelector('[part=actions]'));
      findButton(widget, /^Pay again$/).click();
      await until('the question', () => headingOf(widget).startsWith('Have you'));
      backend.setCheckout(makeEndedCheckout('paid'));
      void widget.refresh();
      await until('paid', () => headingOf(widget) === 'Paid');
    });
});

describe('an invoice that was paid with another amount', () => {
  const outcomeTextIn = async (checkout: Checkout, lang: string): Promise<string> => {
    const widget = await mount(new Backend(checkout), lang);
    await until('the screen', () => rootOf(widget).querySelector('[part=outcome]'));
    return textOf(rootOf(widget).querySelector('[part=outcome]'));
  };

  for (const [source, checkout] of Object.entries({
    'as the checkout API describes it': paidWithOtherAmount,
    'also where a backend reports it as paid': { ...makeEndedCheckout('paid'), amount: '1499.99' },
  }))
    it(`has its amount checked by the shop, ${source}`, async () => {
      assert.match(await outcomeTextIn(checkout, 'ru'), /^Пришла другая сумма .*Ещё раз не переводите/);
      assert.match(await outcomeTextIn(checkout, 'en'), /^Another amount arrived .*Do not send it again/);
    });

  it('offers nothing but a check, and is announced', async () => {
    const widget = await mountState('amount-check', 'en');
    assert.deepEqual(buttonsOf(widget), ['Refresh']);
    assert.match(
      textOf(rootOf(widget).querySelector('[role=status]')),
      /^Another amount arrived\. The money has arrived/,
    );
  });
});
