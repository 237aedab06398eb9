import { assert, fixture, html } from '@open-wc/testing';
import { makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { Backend } from './changeable-backend.ts';
import { find, findAll, mount, mountState, rootOf, textOf, typeAmount, until } from './render-widget.ts';

describe('the focus', () => {
  it('moves to the first control when the page calls focus()', async () => {
    const widget = await mountState('options');
    widget.focus();
    assert.equal(rootOf(widget).activeElement, find(widget, ':checked', HTMLInputElement));
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
    assert.equal(document.activeElement, field);
  });

  it('moves to the heading of the new screen when it was inside the element', async () => {
    const backend = new Backend(makePendingCheckout(sbp));
    const widget = await mount(backend);
    await until('requisites', () => rootOf(widget).querySelector('[part~=copy]'));
    widget.focus();
    backend.setCheckout({ ...makePendingCheckout(sbp), status: 'paid' });
    await until('paid', () => widget.state.status === 'paid');
    await widget.updateComplete;
    assert.equal(textOf(rootOf(widget).activeElement), 'Оплачено');
  });
});

describe('the live region', () => {
  it('is the only one in the element, and contains the text of the new state', async () => {
    const backend = new Backend();
    const widget = await mount(backend);
    await until('options', () => widget.state.status === 'choosing');
    await widget.updateComplete;
    const [region, ...otherRegions] = findAll(widget, '[role=status], [role=alert], [aria-live]');
    assert.deepEqual([textOf(region), otherRegions.length], ['Способ оплаты', 0]);
    backend.setCheckout(makePendingCheckout(sbp));
    await widget.refresh();
    await until('the state', () => textOf(region).startsWith('Ждём оплату'));
    backend.setCheckout({ ...makePendingCheckout(sbp), status: 'paid' });
    await until('paid', () => textOf(region) === 'Оплачено. Спасибо! Деньги получены.');
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
      ['abc', 'Enter an amount from ₽100 to ₽50,000'],
    ] as const) {
      typeAmount(widget, text);
      await widget.updateComplete;
      assert.deepEqual(shown(), ['false', 'from ₽100 to ₽50,000'], text);
      field.dispatchEvent(new Event('change'));
      await until('the error', () => shown().join() === `true,${error}`);
      assert.equal(textOf(rootOf(widget).querySelector('[role=status]')), error);
    }
  });

  it('is asked for by the button, which moves the focus to the field, and creates an invoice once it is within the limits', async () => {
    const widget = await mountState('amount-empty', 'en');
    const button = find(widget, '[part=continue]', HTMLButtonElement);
    const field = find(widget, 'input[inputmode]', HTMLInputElement);
    assert.equal(button.disabled, false);
    button.click();
    await until('the error', () => field.getAttribute('aria-invalid') === 'true');
    assert.equal(rootOf(widget).activeElement, field);
    typeAmount(widget, '1500,50');
    await widget.updateComplete;
    button.click();
    await until('the request', () => widget.state.status === 'creating');
  });
});
