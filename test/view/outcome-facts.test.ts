import { assert } from '@open-wc/testing';
import { checkoutWithoutInvoice, makeEndedCheckout, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import { states } from '../../demo/gallery-states.ts';
import { Backend } from './changeable-backend.ts';
import {
  expectNoFindings,
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

const mountOutcome = async (checkout: Checkout, lang = 'en'): Promise<HTMLElement> => {
  const widget = await mount(new Backend(checkout), lang);
  await until('the outcome', () => rootOf(widget).querySelector('[part=outcome]'));
  return widget;
};
const rowsOf = (widget: HTMLElement): string[] => findAll(widget, 'dl > div').map(textOf);
const amountOf = (widget: HTMLElement): string => textOf(rootOf(widget).querySelector('h2'));

describe('the amount in the header while another invoice is created', () => {
  it('is not that of the invoice before', async () => {
    const { options } = checkoutWithoutInvoice;
    const backend = new Backend(makePendingCheckout(sbp, { amount: null, options }));
    backend.createInvoice = () => new Promise(() => undefined);
    const widget = await mount(backend, 'en');
    (await until('the way back', () => rootOf(widget).querySelector<HTMLElement>('.tail button'))).click();
    await until('the field', () => rootOf(widget).querySelector('#amount'));
    typeAmount(widget, '700');
    await widget.updateComplete;
    find(widget, '[part=continue]', HTMLElement).click();
    await until('the request', () => widget.state.status === 'creating');
    await widget.updateComplete;
    assert.notInclude(amountOf(widget), '1,500');
  });
});

describe('a paid checkout', () => {
  for (const [lang, label, title, text] of [
    ['ru', 'Оплачено', 'Деньги получены', 'Спасибо! Магазин узнает об\u00a0оплате сам.'],
    ['en', 'Paid', 'Payment received', 'Thank you! We tell the shop for you.'],
    ['kk', 'Төленді', 'Ақша келіп түсті', 'Рақмет! Дүкенге төлем туралы өзіміз хабарлаймыз.'],
  ] as const)
    it(`says once that it is paid, then what has arrived, and what comes next: ${lang}`, async () => {
      const widget = await mountOutcome(makeEndedCheckout('paid'), lang);
      const root = rootOf(widget);
      assert.deepEqual(
        ['.due', 'h3', '[part=outcome] p'].map((selector) => root.querySelector(selector)?.textContent.trim()),
        [label, title, text],
      );
    });
});

describe('the number that the payer may quote to the shop', () => {
  const pastDeadline = (changes: Partial<Checkout>): Checkout =>
    makePendingCheckout({ ...sbp, expires_in_ms: 0 }, changes);

  for (const [outcome, createCheckout] of Object.entries({
    failed: (changes: Partial<Checkout>): Checkout => ({ ...makeEndedCheckout('failed'), ...changes }),
    expired: (changes: Partial<Checkout>): Checkout => ({ ...makeEndedCheckout('expired'), ...changes }),
    'zero seconds left': pastDeadline,
  })) {
    it(`is the order's number, and no second number is shown: ${outcome}`, async () => {
      assert.deepEqual(rowsOf(await mountOutcome(createCheckout({ reference: '1001' }))), ['Order number 1001']);
    });

    it(`is no internal id where the shop set no number for the order: ${outcome}`, async () => {
      const widget = await mountOutcome(createCheckout({ reference: null }));
      assert.deepEqual(rowsOf(widget), []);
      assert.notMatch(textOf(rootOf(widget).querySelector('[part=base]')), /att_|inv_/);
    });
  }

  it('can be copied', async () => {
    const widget = await mountOutcome(makeEndedCheckout('failed'));
    const copiedEvent = new Promise((resolve) => widget.addEventListener('pay-invoice-copied', resolve));
    navigator.clipboard.writeText = () => Promise.resolve();
    findButton(widget, /^Copy Order number$/).click();
    assert.include(await copiedEvent, { field: 'reference' });
    Reflect.deleteProperty(navigator.clipboard, 'writeText');
  });
});

describe('a payer who has sent the money', () => {
  it('can have the payment checked from the start, and reads after two minutes that the bank may be checking', async () => {
    const originalNow = performance.now.bind(performance);
    const widget = await mount(new Backend(makePendingCheckout(sbp)), 'en');
    await until('the requisites', () => rootOf(widget).querySelector('[part=requisites]'));
    findButton(widget, /^Check payment$/);
    performance.now = () => originalNow() + 125_000;
    await until('the text', () =>
      textOf(rootOf(widget).querySelector('.status')).includes('Don’t send the money again'),
    );
    performance.now = originalNow;
  });
});

describe('a paid checkout', () => {
  it('shows no method and no time where they are unknown', async () => {
    const { invoice } = makeEndedCheckout('paid');
    const checkoutWithoutFacts = {
      ...makeEndedCheckout('paid'),
      paid_at: null,
      invoice: invoice && { ...invoice, method: undefined },
    };
    const rows = ['Order number 1001', 'Payment number inv_7Q2MZK4D'];
    assert.deepEqual(rowsOf(await mountOutcome(checkoutWithoutFacts)), rows);
  });

  it('has a receipt with the order, the payment’s number, the method, and the date with its zone', async () => {
    const [order, payment, method, date] = rowsOf(await mountOutcome(makeEndedCheckout('paid')));
    assert.deepEqual([order, payment], ['Order number 1001', 'Payment number inv_7Q2MZK4D']);
    assert.match(method ?? '', /^Payment method SBP/);
    assert.match(date ?? '', /^Date and time November 20, 2026 at .*(?:UTC|GMT)/);
  });
});

describe('the slot with the shop’s help', () => {
  /** The states of the gallery in which all goes as it should. Every other one has the slot, also one that is added. */
  const calm =
    'loading options test order one-method amount amount-empty amount-wrong creating sbp sbp-page phone card transfer qr unknown-type qr-card ' +
    'qr-transfer qr-sbp stuck in-app qr-picture copied copy-refused everything no-bank page days leaving paid returning late ' +
    'hostile-options hostile-requisites';

  it('is on every screen on which a payer may need a person, and on no other', () =>
    expectNoFindings(Object.keys(states), async (name) => {
      const slot = rootOf(await mountState(name)).querySelector<HTMLElement>('slot[name=support]');
      // The screen changes at the next tick of the countdown.
      if (name === 'long') await until('the slot', () => slot?.hidden === false);
      const isExpected = !calm.split(' ').includes(name);
      return slot && !slot.hidden === isExpected ? [] : [isExpected ? 'is missing' : 'is there'];
    })).timeout(120_000);
});
