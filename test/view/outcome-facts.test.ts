import { assert } from '@open-wc/testing';
import { ended, pending, sbp } from '../../demo/gallery-checkouts.ts';
import type { Checkout } from '../../src/protocol.ts';
import { Backend } from './changeable-backend.ts';
import { all, button, mount, mountState, rootOf, textOf, until } from './render-widget.ts';

const show = async (checkout: Checkout, lang = 'en'): Promise<HTMLElement> => {
  const widget = await mount(new Backend(checkout), lang);
  await until('the outcome', () => rootOf(widget).querySelector('[part=outcome]'));
  return widget;
};
const rowsOf = (widget: HTMLElement): string[] => all(widget, 'dl > div').map(textOf);
const amountOf = (widget: HTMLElement): string => textOf(rootOf(widget).querySelector('h2'));

describe('the amount in the header', () => {
  for (const name of [
    'paid',
    'failed',
    'expired',
    'expired-confirm',
    'closed',
    'checking',
    'checking-confirm',
    'amount-check',
  ])
    it(`is not called an amount to pay where it must not be paid: ${name}`, async () => {
      assert.equal(amountOf(await mountState(name, 'en')), 'Amount ₽1,500.00');
      assert.equal(amountOf(await mountState(name, 'ru')), 'Сумма 1 500,00 ₽');
    });

  for (const name of ['options', 'creating', 'sbp', 'leaving', 'long'])
    it(`is called the amount to pay where it is to be paid: ${name}`, async () => {
      assert.equal(amountOf(await mountState(name, 'en')), 'To pay ₽1,500.00');
    });
});

describe('the number that the payer may quote to the shop', () => {
  const pastDeadline = (rest: Partial<Checkout>): Checkout => pending({ ...sbp, expires_in_ms: 0 }, rest);

  for (const [what, create] of Object.entries({
    failed: (rest: Partial<Checkout>): Checkout => ({ ...ended('failed'), ...rest }),
    expired: (rest: Partial<Checkout>): Checkout => ({ ...ended('expired'), ...rest }),
    'zero seconds left': pastDeadline,
  })) {
    it(`is the order's number, and no other number is shown: ${what}`, async () => {
      assert.deepEqual(rowsOf(await show(create({ reference: '1001' }))), ['Order number 1001']);
    });

    it(`is that of the invoice where the shop gave none: ${what}`, async () => {
      const checkout = create({ reference: null });
      assert.deepEqual(rowsOf(await show(checkout)), ['Invoice number 1001-1']);
    });
  }

  it('can be copied', async () => {
    const widget = await show(ended('failed'));
    const copied = new Promise((resolve) => widget.addEventListener('pay-invoice-copied', resolve));
    navigator.clipboard.writeText = () => Promise.resolve();
    button(widget, /^Copy Order number$/).click();
    assert.include(await copied, { field: 'reference' });
    Reflect.deleteProperty(navigator.clipboard, 'writeText');
  });
});

describe('a payer who has sent the money', () => {
  for (const [name, lang, check, text] of [
    ['failed', 'ru', 'Уже оплачено, проверить', /Не платите ещё раз/],
    ['failed', 'en', 'I have paid, check', /Do not pay again/],
    ['expired', 'ru', 'Уже оплачено, проверить', /Не платите ещё раз: поздний платёж может идти несколько часов/],
    ['expired', 'en', 'I have paid, check', /Do not pay again: a late payment may take hours/],
    ['checking', 'en', 'I have paid, check', /Do not send it again/],
  ] as const)
    it(`can have it checked, and reads what happens with the money: ${name} in ${lang}`, async () => {
      const widget = await mountState(name, lang);
      assert.include(all(widget, 'button').map(textOf), check);
      assert.match(textOf(rootOf(widget).querySelector('[part=outcome] p')), text);
    });

  it('can have it checked while the payment is awaited for long', async () => {
    const clock = performance.now.bind(performance);
    const widget = await mount(new Backend(pending(sbp)), 'en');
    await until('the requisites', () => rootOf(widget).querySelector('[part=requisites]'));
    performance.now = () => clock() + 125_000;
    const check = await until('the note', () => rootOf(widget).querySelector<HTMLElement>('.note button'));
    performance.now = clock;
    assert.equal(textOf(check), 'I have paid, check');
    assert.match(textOf(rootOf(widget).querySelector('.note')), /Do not send the money again/);
  });
});

describe('a paid checkout', () => {
  it('shows each fact once: the amount, the number, the method, and the date and time with their zone', async () => {
    const widget = await mountState('paid', 'en');
    const [number, method, time, ...rest] = rowsOf(widget);
    assert.deepEqual([number, method, rest], ['Order number 1001', 'Payment method SBP (Faster Payments)', []]);
    assert.match(time ?? '', /^Date and time November 20, 2026 at \d\d?:02 [AP]M \S+/);
    const text = [...rootOf(widget).querySelectorAll('[part=header], .screen')].map(textOf).join(' ');
    assert.equal(text.split('1,500').length - 1, 1);
    assert.equal(text.split('Paid').length - 1, 1);
  });

  it('shows no method and no time that are not known', async () => {
    const { invoice } = ended('paid');
    const unknown = { ...ended('paid'), paid_at: null, invoice: invoice && { ...invoice, method: undefined } };
    assert.deepEqual(rowsOf(await show(unknown)), ['Order number 1001']);
  });

  it('can be printed', async () => {
    const original = print;
    let printed = 0;
    window.print = () => (printed += 1);
    button(await mountState('paid', 'en'), /^Print/).click();
    window.print = original;
    assert.equal(printed, 1);
  });
});
