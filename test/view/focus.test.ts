import { assert, fixture, html } from '@open-wc/testing';
import { checkoutWithoutInvoice, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { Backend } from './changeable-backend.ts';
import {
  find,
  findAll,
  findButton,
  mount,
  mountState,
  rootOf,
  textOf,
  typeAmount,
  until,
} from './widget-from-source.ts';
import { findPhoneButton } from './watch-qr.ts';

describe('the focus', () => {
  it('moves to the first control when the page calls focus()', async () => {
    const widget = await mountState('options');
    widget.focus();
    assert.isTrue(rootOf(widget).activeElement === find(widget, ':checked', HTMLInputElement));
  });

  it('moves to the heading of the screen that the payer’s action opened', async () => {
    const widget = await mount(new Backend());
    await until('options', () => widget.state.status === 'choosing');
    await widget.updateComplete;
    find(widget, '[part=continue]', HTMLButtonElement).click();
    await until('requisites', () => rootOf(widget).querySelector('[part=requisites]'));
    assert.equal(textOf(rootOf(widget).activeElement), 'Переведите по номеру телефона');
  });

  it('stays in the page when a change that the payer did not make shows another screen', async () => {
    const field = await fixture<HTMLInputElement>(html`<input aria-label="elsewhere" />`);
    const backend = new Backend(makePendingCheckout(sbp));
    const widget = await mount(backend);
    await until('requisites', () => widget.state.status === 'waiting');
    field.focus();
    backend.setCheckout({ ...makePendingCheckout(sbp), status: 'paid' });
    await until('paid', () => widget.state.status === 'paid');
    await widget.updateComplete;
    assert.isTrue(document.activeElement === field);
  });

  it('moves to the heading of the new screen when it was inside the element', async () => {
    const backend = new Backend(makePendingCheckout(sbp));
    const widget = await mount(backend);
    await until('requisites', () => rootOf(widget).querySelector('[part~=copy]'));
    widget.focus();
    backend.setCheckout({ ...makePendingCheckout(sbp), status: 'paid' });
    await until('paid', () => widget.state.status === 'paid');
    await widget.updateComplete;
    assert.equal(textOf(rootOf(widget).activeElement), 'Деньги получены');
  });
});

describe('the focus of a payer whose control goes away', () => {
  it('moves to the heading when an update disables the chosen method', async () => {
    const backend = new Backend();
    const widget = await mount(backend);
    await until('the methods', () => rootOf(widget).querySelector(':checked'));
    find(widget, ':checked', HTMLInputElement).focus();
    const [first, ...others] = checkoutWithoutInvoice.options;
    assert.ok(first);
    backend.setCheckout({ ...checkoutWithoutInvoice, options: [{ ...first, available: false }, ...others] });
    await widget.refresh();
    await widget.updateComplete;
    assert.equal(textOf(rootOf(widget).activeElement), 'Способ оплаты');
  });

  it('moves to the QR code that the payer has asked for', async () => {
    const widget = await mount(new Backend(makePendingCheckout(sbp)), 'en');
    widget.phoneUrl = `${location.origin}/orders/1`;
    const button = await until('the button', () => findPhoneButton(widget));
    button.focus();
    button.click();
    await until('the QR', () => rootOf(widget).activeElement?.getAttribute('part') === 'qr');
  });

  it('stays in another field to which the payer has gone on after an action that changed nothing', async () => {
    const field = await fixture<HTMLInputElement>(html`<input aria-label="elsewhere" />`);
    const backend = new Backend(makePendingCheckout(sbp));
    const widget = await mount(backend, 'en');
    await until('the button', () => findAll(widget, 'button').some((one) => textOf(one) === 'Check payment'));
    findButton(widget, /^Check payment$/).click();
    await widget.updateComplete;
    field.focus();
    backend.setCheckout({ ...makePendingCheckout(sbp), status: 'paid' });
    await until('paid', () => widget.state.status === 'paid');
    await widget.updateComplete;
    assert.isTrue(document.activeElement === field);
  });
});

describe('the headings', () => {
  it('begin at the level that the page sets in heading-level', async () => {
    const widget = await mountState('sbp');
    widget.setAttribute('heading-level', '1');
    widget.requestUpdate();
    await widget.updateComplete;
    assert.deepEqual(
      findAll(widget, 'h2, h3').map(({ ariaLevel }) => ariaLevel),
      ['1', '2'],
    );
  });
});

describe('the typed amount', () => {
  it('is checked when the payer leaves the field or presses the button, and not while it is typed', async () => {
    const widget = await mountState('amount-empty', 'en');
    const field = find(widget, 'input[inputmode]', HTMLInputElement);
    const shown = (): string[] => [
      field.getAttribute('aria-invalid') ?? '',
      textOf(rootOf(widget).getElementById('amount-note')),
    ];
    for (const [text, error] of [
      ['99', 'Too small: enter ₽100 or more'],
      ['60000', 'Too large: enter ₽50,000 or less'],
      ['abc', 'Write the amount like this: 1500.01'],
      ['1,500', 'Write the amount like this: 1500.01'],
    ] as const) {
      typeAmount(widget, text);
      await widget.updateComplete;
      assert.deepEqual(shown(), ['false', 'from ₽100 to ₽50,000'], text);
      field.dispatchEvent(new Event('change'));
      await until('the error', () => shown().join() === `true,${error}`);
      assert.equal(textOf(rootOf(widget).querySelector('[role=status]')), error);
    }
  });

  for (const [currency, text, expected] of [
    ['JPY', '1500.5', 'The amount must be a multiple of ¥1'],
    ['JPY', '¥1500,00', '1500'],
    ['KWD', '1500.1255', 'The amount must be a multiple of KWD 0.001'],
    ['KWD', '1500.125', '1500.125'],
    ['RUB', '\u200e1\u00a0500,50 ₽', '1500.50'],
  ] as const)
    it(`${text} in ${currency} is ${expected.includes(' ') ? 'refused with the reason, before a request' : 'accepted'}`, async () => {
      const backend = new Backend({
        ...checkoutWithoutInvoice,
        amount: null,
        amount_limits: { min_amount: '100', max_amount: '50000' },
        currency,
      });
      const widget = await mount(backend, 'en');
      await until('the field', () => rootOf(widget).querySelector('#amount'));
      typeAmount(widget, text);
      await until('the second file', () => textOf(rootOf(widget).getElementById('amount-note')));
      find(widget, '[part=continue]', HTMLButtonElement).click();
      const note = (): string => textOf(rootOf(widget).getElementById('amount-note')).replace('\u00a0', ' ');
      await until('an answer', () => backend.creates.length || note() === expected);
      assert.deepEqual(
        backend.creates.map(({ amount }) => amount),
        expected.includes(' ') ? [] : [expected],
      );
    });
});

describe('a heading that gets the focus', () => {
  const isWebKit = /^(?!.*Chrome).*AppleWebKit/.test(navigator.userAgent); // it does not scroll to what is partly visible
  if (isWebKit) return;
  it('does not stand flush with the upper edge of the window, which hid a part of it', async () => {
    const widget = await mount(new Backend(makePendingCheckout(sbp)));
    await until('the requisites', () => rootOf(widget).querySelector('[part=requisites]'));
    widget.style.marginBlock = '3000px';
    const heading = find(widget, 'h3', HTMLElement);
    scrollBy(0, heading.getBoundingClientRect().top + 5);
    assert.approximately(heading.getBoundingClientRect().top, -5, 1);
    heading.focus();
    assert.isAtLeast(heading.getBoundingClientRect().top, 16);
  });
});
