import { assert, expect, fixture } from '@open-wc/testing';
import { html } from 'lit';
import { checkoutWithoutInvoice, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { playState } from '../../demo/play-gallery-state.ts';
import type { PaymentOption } from '../../src/checkout-api.ts';
import { Backend } from './changeable-backend.ts';
import {
  expectNoFindings,
  find,
  findAll,
  findButton,
  mount,
  mountState,
  rootOf,
  stateNamed,
  textOf,
  until,
} from './render-widget.ts';

/** The heading of each screen, in Russian and in English. */
const headings: Readonly<Record<string, readonly [ru: RegExp, en: RegExp]>> = {
  unreachable: [/Нет связи/, /No connection/],
  lost: [/не найден/, /not found/],
  options: [/Способ оплаты/, /Payment method/],
  creating: [/Готовим/, /Preparing/],
  unknown: [/Дольше/, /Taking longer than usual/],
  sbp: [/Переведите/, /Transfer/],
  qr: [/Оплатите через СБП/, /Pay by SBP/],
  page: [/на страницу оплаты/, /to the payment page/],
  checking: [/проверяем/, /checking/],
  'checking-confirm': [/уже перевели/, /already sent/],
  'amount-check': [/другая сумма/, /Another amount/],
  paid: [/Оплачено/, /Paid/],
  failed: [/не прошла/, /failed/],
  expired: [/вышло/, /run out/],
  'expired-confirm': [/уже перевели/, /already sent/],
  closed: [/Платёж закрыт/, /This payment is closed/],
  'closed-refused': [/Платёж закрыт/, /This payment is closed/],
  mismatch: [/Способ оплаты/, /Payment method/],
  late: [/Оплачено/, /Paid/],
  'unknown-type': [/Переведите/, /Transfer/],
  'qr-card': [/Оплатите через СБП/, /Pay by SBP/],
};

describe('every screen', () => {
  it('has its heading in both languages', () =>
    expectNoFindings(Object.keys(headings), async (name) => {
      const titles = await Promise.all(
        ['ru', 'en'].map(async (lang) => textOf(rootOf(await mountState(name, lang)).querySelector('h3'))),
      );
      return titles.filter((title, index) => headings[name]?.[index]?.test(title) !== true);
    }));
});

describe('the frame', () => {
  it('is a region that is labelled in the language of the widget', async () => {
    const widget = await mountState('options');
    assert.deepEqual([widget.getAttribute('role'), widget.getAttribute('aria-label')], ['region', 'Оплата']);
    widget.lang = 'en';
    await until('English', () => widget.getAttribute('aria-label') === 'Payment');
  });

  it('keeps the role and the label that the page sets, before the first render and after it', async () => {
    const attributesOf = (widget: Element): unknown[] => [widget.role, widget.ariaLabel];
    const { widget } = playState(stateNamed('options'), { lang: 'ru', theme: 'light' });
    widget.role = 'form';
    widget.ariaLabel = 'My order';
    await fixture(html`${widget}`);
    await until('the first render', () => rootOf(widget).querySelector('h2'));
    assert.deepEqual(attributesOf(widget), ['form', 'My order']);

    const secondWidget = await mountState('options');
    secondWidget.role = 'group';
    secondWidget.ariaLabel = 'My payment';
    secondWidget.lang = 'en';
    await until('English', () => textOf(rootOf(secondWidget).querySelector('h2')).startsWith('To pay'));
    assert.deepEqual(attributesOf(secondWidget), ['group', 'My payment']);
  });

  it('has the exact amount in its heading', async () => {
    assert.equal(textOf(find(await mountState('options'), 'h2', HTMLElement)), 'К оплате 1 500,00 ₽');
    assert.equal(textOf(find(await mountState('options', 'en'), 'h2', HTMLElement)), 'To pay ₽1,500.00');
  });

  it('has no amount in its heading before the payer has typed one', async () => {
    assert.equal(textOf(find(await mountState('amount-empty', 'en'), 'h2', HTMLElement)), 'Payment');
  });

  it('shows a badge for a test checkout', async () => {
    const badge = async (lang: string): Promise<string> =>
      textOf(find(await mountState('test', lang), '[part=badge]', HTMLElement));
    assert.equal(await badge('ru'), 'ТЕСТ · не переводите настоящие деньги');
    assert.equal(await badge('en'), 'TEST · do not send real money');
    assert.equal(rootOf(await mountState('options')).querySelector('[part=badge]'), null);
  });
});

describe('the methods', () => {
  it('are radios with the name of the method; those that cannot be used have a reason', async () => {
    const widget = await mountState('options');
    const group = find(widget, '[role=radiogroup]', HTMLElement);
    assert.equal(textOf(rootOf(widget).getElementById(group.getAttribute('aria-labelledby') ?? '')), 'Способ оплаты');
    const radios = findAll(widget, '[type=radio]').map((radio) => {
      const byId = (attribute: string): string =>
        textOf(rootOf(widget).getElementById(radio.getAttribute(attribute) ?? '')).replace(/[\u2068\u2069]/g, '');
      return [byId('aria-labelledby'), byId('aria-describedby'), radio.matches(':disabled')];
    });
    assert.deepEqual(radios, [
      ['СБП', 'Банки: Сбербанк, Т-Банк, ВТБ', false],
      ['Перевод на карту', '', false],
      ['Банковский перевод', 'От 5 000 ₽', true],
      ['Иностранная карта', 'Недоступно', true],
    ]);
  });

  it('name the banks that take the amount in one line, which is cut off', async () => {
    const banks = find(await mountState('options'), '[part=banks]', HTMLElement);
    assert.equal(getComputedStyle(banks).whiteSpace, 'nowrap');
    assert.equal(getComputedStyle(banks).textOverflow, 'ellipsis');
  });

  it('show a currency code as the checkout has it', async () => {
    const widget = await mount(new Backend({ ...checkoutWithoutInvoice, currency: 'USDT' }), 'en');
    await until('the methods', () => rootOf(widget).querySelector('.off'));
    assert.include(textOf(find(widget, '.off', HTMLElement)), 'USDT');
  });

  it('have no radio where only one can be used, which the button then names', async () => {
    const [first, , ...others] = checkoutWithoutInvoice.options;
    const options = first ? [first, ...others] : [];
    const widget = await mount(new Backend({ ...checkoutWithoutInvoice, options }), 'ru');
    await until('the method', () => rootOf(widget).querySelector('#m0'));
    assert.deepEqual(findAll(widget, '[type=radio], [role=radiogroup]'), []);
    assert.equal(textOf(find(widget, '[part=continue]', HTMLElement)), 'Оплатить через СБП');
  });

  it('have names in the payer’s language where the service sends only a known type; the merchant’s own names take precedence', async () => {
    const optionsNamed = (name: string | undefined, type: string): PaymentOption[] =>
      checkoutWithoutInvoice.options.slice(1, 2).map((option) => ({ ...option, name, type, code: 'x' }));
    const nameOf = async (
      options: PaymentOption[],
      lang: string,
      merchantName?: (type: string) => string,
    ): Promise<string> => {
      const widget = await mount(new Backend({ ...checkoutWithoutInvoice, options }), lang);
      if (merchantName) widget.methodName = ({ type }) => merchantName(type);
      await widget.updateComplete;
      return textOf(await until('the method', () => rootOf(widget).querySelector('#m0')));
    };
    assert.equal(await nameOf(optionsNamed('SBP', 'SBP'), 'en'), 'SBP (Faster Payments)');
    assert.equal(await nameOf(optionsNamed('СБП', 'SBP'), 'en'), 'SBP (Faster Payments)');
    assert.equal(await nameOf(optionsNamed('SBP', 'SBP'), 'ru'), 'СБП');
    // Any other name from the service is shown unchanged, even if it is the usual name of another type.
    for (const [name, type] of [
      ['Card', 'WALLET'],
      ['SBP', 'QR'],
      ['Card', 'SBP'],
    ] as const)
      assert.equal(await nameOf(optionsNamed(name, type), 'en'), name);
    for (const [lang, card, transfer] of [
      ['en', 'Transfer to a card', 'Bank transfer'],
      ['ru', 'Перевод на карту', 'Банковский перевод'],
      ['kk', 'Картаға аудару', 'Банк аударымы'],
    ] as const) {
      assert.equal(await nameOf(optionsNamed(undefined, 'CARD'), lang), card);
      assert.equal(await nameOf(optionsNamed(undefined, 'BANK_TRANSFER'), lang), transfer);
    }
    assert.equal(await nameOf(optionsNamed(undefined, 'WALLET'), 'en'), 'x');
    // A Russian name of a known type is not shown in another language.
    assert.equal(await nameOf(optionsNamed('Карта банка', 'CARD'), 'en'), 'Transfer to a card');
    assert.equal(await nameOf(optionsNamed('Карта банка', 'CARD'), 'ru'), 'Карта банка');
    assert.equal(await nameOf(optionsNamed('Fast', 'SBP'), 'en'), 'Fast');
    assert.equal(await nameOf(optionsNamed('SBP', 'SBP'), 'en', (type) => `By ${type}`), 'By SBP');
  });

  it('are replaced by a button that reads the checkout, when there are none', async () => {
    const widget = await mountState('no-options');
    findButton(widget, /снова/);
    assert.equal(rootOf(widget).querySelector('[part=continue]'), null);
  });

  it('warn of paying twice while another invoice can still be paid', async () => {
    const widget = await mountState('leaving');
    expect(textOf(rootOf(widget).querySelector('.note'))).to.contain('Не платите дважды');
    findButton(widget, /Вернуться/).click();
    await widget.updateComplete;
    assert.equal(widget.state.status, 'waiting');
  });
});

describe('the remaining time', () => {
  it('is a timer with a bar', async () => {
    const widget = await mountState('sbp');
    expect(textOf(find(widget, '[role=timer]', HTMLElement))).to.match(/^14:\d\d$/);
    const bar = find(widget, 'progress', HTMLProgressElement);
    expect(bar.position).to.be.within(0.98, 1);
  });

  it('disappears at most once after a sleep of the device, until the checkout is read', async () => {
    const backend = new Backend(makePendingCheckout(sbp));
    const widget = await mount(backend);
    await until('a long poll', () => backend.heldLongPolls === 1);
    const initialReads = backend.reads;
    const isTimer = (node: Node): boolean =>
      node instanceof Element && node.matches('[role=timer], :has([role=timer])');
    let timerChanges = 0;
    const observer = new MutationObserver((records) => {
      timerChanges += records
        .flatMap((record) => [...record.addedNodes, ...record.removedNodes])
        .filter(isTimer).length;
    });
    observer.observe(rootOf(widget), { childList: true, subtree: true });
    const { now } = Date;
    Date.now = () => now() + 60_000;
    await until('another read', () => backend.reads > initialReads);
    Date.now = now;
    observer.disconnect();
    expect(timerChanges).to.be.at.most(2);
  });

  it('is written in days and hours where it is more than a day', async () => {
    const widget = await mountState('days', 'en');
    assert.equal(textOf(find(widget, '[role=timer]', HTMLElement)), '2 days 4 hr');
  });
});

describe('the outcomes', () => {
  it('link back to the shop', async () => {
    const link = (widget: Element): string => find(widget, '.screen a', HTMLAnchorElement).href;
    assert.equal(link(await mountState('paid')), 'https://shop.example/thanks');
    assert.equal(link(await mountState('failed')), 'https://shop.example/cart');
    assert.equal(link(await mountState('expired')), 'https://shop.example/cart');
  });

  it('let the payer try again after a failed payment', async () => {
    const widget = await mountState('failed');
    findButton(widget, /снова/).click();
    await widget.updateComplete;
    assert.equal(widget.state.status, 'choosing');
  });

  for (const [name, lang, advice, order] of [
    ['closed', 'ru', 'не\u00a0переводите деньги. Уже перевели? Обратитесь в\u00a0магазин.', 'Номер заказа 1001'],
    ['closed', 'en', 'do not send money. Have you already sent it? Ask the shop.', 'Order number 1001'],
    ['closed-refused', 'en', 'do not send money. Have you already sent it? Ask the shop.', 'Order number 1001'],
  ] as const)
    it(`say what to do, name the order, and offer no other payment: in the state ${name} in ${lang}`, async () => {
      const widget = await mountState(name, lang);
      assert.equal(widget.state.status, 'closed');
      expect(rootOf(widget).querySelector('[part=outcome] p')?.textContent).to.contain(advice);
      expect(textOf(rootOf(widget).querySelector('dl'))).to.contain(order);
      assert.equal(find(widget, '.screen a', HTMLAnchorElement).href, 'https://shop.example/cart');
      assert.deepEqual(findAll(widget, 'button:not([part~=copy]), input, [part=requisite], [part=qr]'), []);
    });

  it('each have a slot that is named for the status', async () => {
    for (const name of ['paid', 'failed', 'expired', 'closed'])
      expect(findAll(await mountState(name), `slot[name=${name}]`), name).to.have.length(1);
  });
});
