import { assert } from '@open-wc/testing';
import { makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import type { Checkout, CheckoutInvoice } from '../../src/checkout-api.ts';
import type { CheckoutError } from '../../src/core.ts';
import type { CheckoutErrorEvent } from '../../src/element.ts';
import { Backend } from './changeable-backend.ts';
import { find, findAll, mount, mountState, rootOf, textOf, until } from './widget-from-source.ts';

describe('the requisites', () => {
  const rowsOf = (list: ParentNode): string[] =>
    [...list.querySelectorAll('[part=requisite]')].map((row) =>
      [row.querySelector('dt'), row.querySelector('[part=value]')].map(textOf).join(' = '),
    );

  const headingsOf = (widget: Element, selector: string): string[] => findAll(widget, selector).map(textOf);

  it('are a complete list for each kind, so that the recipients of two kinds are not confused', async () => {
    const widget = await mountState('everything', 'en');
    const lists = findAll(widget, '[part=requisites]').map(rowsOf);
    const [bank, amount] = ['Recipient’s bank = Т-Банк', 'Amount = ₽1,500.00'];
    assert.deepEqual(lists, [
      ['Phone number = +79001234567', bank, 'Recipient = Мария Ивановна К.', amount],
      ['Card number = 2200700112345672', bank, 'Recipient = MARIA K', amount],
      [bank, 'Recipient = ООО «Лист и глина»', 'BIK = 044525974', 'Account number = 40702810600000012345', amount],
    ]);
    assert.deepEqual(headingsOf(widget, 'h4'), ['Or transfer the money']);
  });

  it('with wrong check digits are shown, and reported once for each invoice without their values', async () => {
    const makeSuspect = (id: string): Checkout =>
      makePendingCheckout({
        id,
        card: { card_number: '4111111111111112' },
        bank_transfer: { bik: '044525225', account: '40702810438000060474' },
      });
    const backend = new Backend(makeSuspect('inv_1'));
    const errors: CheckoutError[] = [];
    const listener = ({ error }: CheckoutErrorEvent): void => void errors.push(error);
    document.addEventListener('pay-invoice-error', listener);
    const widget = await mount(backend);
    await until('the requisites', () => rootOf(widget).querySelector('[part=requisites]'));
    await until('the reports', () => errors.length === 2);
    backend.setCheckout(makeSuspect('inv_2'));
    await until('those of the second invoice', () => errors.length > 2);
    widget.requestUpdate();
    await widget.updateComplete;
    document.removeEventListener('pay-invoice-error', listener);
    assert.deepEqual(
      errors.map(({ code, field, message }) => `${code} ${field} ${message}`),
      ['card_number', 'account', 'card_number', 'account'].map((name) => `requisites_suspect ${name} ${name}`),
    );
    assert.include(textOf(find(widget, '.screen', HTMLElement)), '4111111111111112');
  });

  it('are named by kind where there are several, and one kind is open at a time', async () => {
    const widget = await mountState('unknown-type', 'en');
    await until('the requisites', () => rootOf(widget).querySelector('[part=requisites]'));
    const openKinds = (): string[] => headingsOf(widget, 'details[open] > summary');
    assert.deepEqual(headingsOf(widget, 'h3, h4, summary'), [
      'Transfer to a card',
      'By card number',
      'By account number',
    ]);
    assert.deepEqual(openKinds(), ['By card number']);
    findAll(widget, 'summary')[1]?.click();
    await until('the other kind alone', () => openKinds().join() === 'By account number');
    await widget.refresh();
    assert.deepEqual(openKinds(), ['By account number']);
  });

  it('are open one kind at a time, also in engines that do not support the `name` of `details`', async () => {
    const widget = await mountState('everything', 'en');
    const kinds = findAll(widget, 'details.kind');
    for (const kind of kinds) kind.removeAttribute('name');
    const openKinds = (): string[] => headingsOf(widget, 'details[open] > summary');
    for (const index of [1, 2, 0]) {
      kinds[index]?.querySelector('summary')?.click();
      await until('one kind', () => openKinds().join() === textOf(kinds[index]?.querySelector('summary')));
    }
  });

  for (const name of ['sbp', 'card', 'transfer', 'paid', 'everything'])
    it(`are not translated by a browser, nor are the amount and the times: ${name}`, async () => {
      const widget = await mountState(name, 'en');
      const values = findAll(widget, '.money, [part=value], [part=timer], .rule bdi');
      assert.isAbove(values.length, 2);
      assert.deepEqual(
        values.filter((value) => value.translate).map((value) => value.outerHTML),
        [],
      );
      // The values of the instruction are all its digits.
      for (const rule of findAll(widget, '.rule'))
        assert.notMatch([...rule.childNodes].map((node) => (node instanceof Text ? node.data : '')).join(''), /\d/);
    });

  it('name the day of a deadline that is more than half a day away, and omit an unknown deadline', async () => {
    const ruleOf = async (invoiceMembers: Partial<CheckoutInvoice>): Promise<string> => {
      const widget = await mount(new Backend(makePendingCheckout({ ...sbp, ...invoiceMembers })), 'en');
      return textOf(await until('the rule', () => rootOf(widget).querySelector('.rule')));
    };
    assert.include(await ruleOf({ expires_at: '2026-11-22T12:00:00Z', expires_in_ms: 180_000_000 }), 'November 22 at');
    assert.notInclude(await ruleOf({ expires_at: '2026-11-20T10:15:00Z', expires_in_ms: 900_000 }), 'November');
    assert.notInclude(await ruleOf({ expires_at: undefined, expires_in_ms: undefined }), ', by ');
    assert.notInclude(await ruleOf({ expires_at: 'soon' }), ', by ');
  });
});
