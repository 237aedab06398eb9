import { assert, expect } from '@open-wc/testing';
import { makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import type { CheckoutInvoice } from '../../src/checkout-api.ts';
import { Backend } from './changeable-backend.ts';
import { find, findAll, mount, mountState, rootOf, textOf, until } from './render-widget.ts';

describe('the requisites', () => {
  const rowsOf = (list: ParentNode): string[] =>
    [...list.querySelectorAll('[part=requisite]')].map((row) =>
      [row.querySelector('dt'), row.querySelector('[part=value]')].map(textOf).join(' = '),
    );

  const headingsOf = (widget: Element, selector: string): string[] => findAll(widget, selector).map(textOf);

  const cases: Readonly<Record<string, readonly string[]>> = {
    sbp: [
      'Phone number = +79001234567',
      'Recipient’s bank = Т-Банк',
      'Recipient = Мария Ивановна К.',
      'Amount = ₽1,500.00',
    ],
    card: ['Card number = 2200700112345672', 'Recipient’s bank = Т-Банк', 'Recipient = MARIA K', 'Amount = ₽1,500.00'],
    transfer: [
      'Recipient’s bank = Т-Банк',
      'Recipient = ООО «Лист и глина»',
      'BIK = 044525974',
      'Account number = 40702810600000012345',
      'Amount = ₽1,500.00',
    ],
    'no-bank': ['Card number = 2200700112345672', 'Recipient = MARIA K', 'Amount = ₽1,500.00'],
    qr: [],
  };
  for (const [name, expected] of Object.entries(cases)) {
    it(`are labelled values in the order of a bank’s form: in the state ${name}`, async () => {
      assert.deepEqual(rowsOf(rootOf(await mountState(name, 'en'))), expected);
    });
  }

  it('are a complete list for each kind, so that the recipients of two kinds are not confused', async () => {
    const widget = await mountState('everything', 'en');
    const lists = findAll(widget, '[part=requisites]').map(rowsOf);
    assert.deepEqual(lists, [cases['sbp'], cases['card'], cases['transfer']]);
    assert.deepEqual(headingsOf(widget, 'h4'), ['Or transfer the money']);
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

  it('have no heading when there is only one kind of requisites', async () => {
    assert.deepEqual(headingsOf(await mountState('qr-sbp', 'en'), 'details, summary'), []);
  });

  for (const name of ['sbp', 'qr-sbp', 'everything', 'no-bank'])
    it(`follow a line with the exact amount, one transfer and the deadline: in the state ${name}`, async () => {
      const widget = await mountState(name, 'en');
      const rule = find(widget, '.rule', HTMLElement);
      assert.match(textOf(rule), /^Exactly ₽1,500 in one transfer, by \d\d?:15 [AP]M$/);
      const list = find(widget, '[part=requisites]', HTMLElement);
      assert.ok(rule.compareDocumentPosition(list) & Node.DOCUMENT_POSITION_FOLLOWING);
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

  it('show the number and the bank larger than the other values', async () => {
    const widget = await mountState('sbp', 'en');
    const sizes = findAll(widget, '[part=value]').map((value) => parseFloat(getComputedStyle(value).fontSize));
    const [number = 0, bank, holder = 0, amount] = sizes;
    assert.equal(bank, number);
    assert.equal(amount, holder);
    assert.isAbove(number, holder);
  });

  it('warn of a different recipient’s name for a phone number and a card, but not for an account', async () => {
    const hintOf = async (name: string): Promise<string> =>
      findAll(await mountState(name, 'en'), 'dd small')
        .map(textOf)
        .at(-1) ?? '';
    const warning = 'If your bank shows another name, don’t send.';
    assert.deepEqual([await hintOf('sbp'), await hintOf('card'), await hintOf('transfer')], [warning, warning, '']);
  });

  it('have a button "Copy <label>" each where the payer enters the value elsewhere', async () => {
    const widget = await mountState('card', 'en');
    assert.deepEqual(
      findAll(widget, '[part~=copy]').map((copy) => copy.title),
      ['Copy Card number', 'Copy Amount'],
    );
  });

  it('show a card number in groups of four without spaces in the text', async () => {
    const widget = await mountState('card');
    assert.deepEqual([...find(widget, '[part=value]', HTMLElement).children].map(textOf).filter(Boolean), [
      '2200',
      '7001',
      '1234',
      '5672',
    ]);
  });

  it('are hidden while the last check runs', async () => {
    const widget = await mountState('checking');
    expect(findAll(widget, '[part=requisite], [part=qr], [role=timer]')).to.have.length(0);
  });
});
