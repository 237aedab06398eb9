import { assert, expect, fixture } from '@open-wc/testing';
import { html } from 'lit';
import { pending, sbp } from '../../demo/gallery-checkouts.ts';
import { playState } from '../../demo/gallery-player.ts';
import type { CheckoutInvoice } from '../../src/protocol.ts';
import { Backend } from './changeable-backend.ts';
import { all, button, find, mount, mountState, rootOf, stateNamed, sweep, textOf, until } from './render-widget.ts';

/** The heading of each screen, in Russian and in English. */
const headings: Readonly<Record<string, readonly [ru: RegExp, en: RegExp]>> = {
  unreachable: [/Нет связи/, /No connection/],
  lost: [/не найден/, /not found/],
  options: [/Способ оплаты/, /Payment method/],
  creating: [/Готовим/, /Getting/],
  unknown: [/ещё не пришёл/, /No answer yet/],
  sbp: [/Переведите/, /Transfer/],
  qr: [/Отсканируйте/, /Scan/],
  page: [/на странице оплаты/, /on the payment page/],
  checking: [/проверяем/, /checking/],
  'checking-confirm': [/уже перевели/, /already sent/],
  'amount-check': [/проверяет сумму/, /checking the amount/],
  paid: [/Оплачено/, /Paid/],
  failed: [/не прошла/, /failed/],
  expired: [/вышло/, /over/],
  'expired-confirm': [/уже перевели/, /already sent/],
  closed: [/Платёж закрыт/, /This payment is closed/],
  'closed-refused': [/Платёж закрыт/, /This payment is closed/],
  mismatch: [/Способ оплаты/, /Payment method/],
  late: [/Оплачено/, /Paid/],
  'unknown-type': [/Переведите/, /Transfer/],
  'qr-card': [/Отсканируйте/, /Scan/],
};

describe('every screen', () => {
  it('has its heading in both languages', () =>
    sweep(Object.keys(headings), async (name) => {
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

    const other = await mountState('options');
    other.role = 'group';
    other.ariaLabel = 'My payment';
    other.lang = 'en';
    await until('English', () => textOf(rootOf(other).querySelector('h2')).startsWith('To pay'));
    assert.deepEqual(attributesOf(other), ['group', 'My payment']);
  });

  it('has the exact amount in its heading', async () => {
    assert.equal(textOf(find(await mountState('options'), 'h2', HTMLElement)), 'К оплате 1 500,00 ₽');
    assert.equal(textOf(find(await mountState('options', 'en'), 'h2', HTMLElement)), 'To pay ₽1,500.00');
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
  it('are radios named by the method, and say why they cannot be used', async () => {
    const widget = await mountState('options');
    const group = find(widget, '[role=radiogroup]', HTMLElement);
    assert.equal(textOf(rootOf(widget).getElementById(group.getAttribute('aria-labelledby') ?? '')), 'Способ оплаты');
    const radios = all(widget, '[type=radio]').map((radio) => {
      const byId = (attribute: string): string =>
        textOf(rootOf(widget).getElementById(radio.getAttribute(attribute) ?? ''));
      return [byId('aria-labelledby'), byId('aria-describedby'), radio.matches(':disabled')];
    });
    assert.deepEqual(radios, [
      ['СБП', '', false],
      ['Перевод на карту', '', false],
      ['Банковский перевод', 'Доступно для сумм от 5 000 ₽ до 600 000 ₽', true],
      ['Иностранная карта', 'Сейчас недоступно', true],
    ]);
  });

  it('list the banks of the selected one; unusable banks are dimmed and say why', async () => {
    const widget = await mountState('options');
    assert.deepEqual(
      all(widget, '[part=banks] li').map((item) => [textOf(item), item.className]),
      [
        ['Сбербанк', ''],
        ['Т-Банк', ''],
        ['Альфа-Банк от 100 ₽ до 1 000 ₽', 'off'],
        ['ВТБ', ''],
        ['Банк Уралсиб сейчас недоступно', 'off'],
      ],
    );
  });

  it('offer to refresh when there are none', async () => {
    const widget = await mountState('no-options');
    button(widget, /снова/);
    assert.equal(rootOf(widget).querySelector('[part=continue]'), null);
  });

  it('warn of paying twice while another invoice can still be paid', async () => {
    const widget = await mountState('leaving');
    expect(textOf(rootOf(widget).querySelector('.note'))).to.contain('Не платите дважды');
    button(widget, /Вернуться/).click();
    await widget.updateComplete;
    assert.equal(widget.state.status, 'waiting');
  });
});

describe('the requisites', () => {
  const rows = (list: ParentNode): string[] =>
    [...list.querySelectorAll('[part=requisite]')].map((row) =>
      [row.querySelector('dt'), row.querySelector('[part=value]')].map(textOf).join(' = '),
    );

  const headingsOf = (widget: Element, selector: string): string[] => all(widget, selector).map(textOf);

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
    it(`are labelled values in the order in which a bank asks: ${name}`, async () => {
      assert.deepEqual(rows(rootOf(await mountState(name, 'en'))), expected);
    });
  }

  it('are a complete list for each kind, so that the recipients of two kinds are not confused', async () => {
    const widget = await mountState('everything', 'en');
    const lists = all(widget, '[part=requisites]').map(rows);
    assert.deepEqual(lists, [cases['sbp'], cases['card'], cases['transfer']]);
    assert.deepEqual(headingsOf(widget, 'h4'), ['Or transfer the money']);
  });

  it('are named by kind where there are several, and one kind is open at a time', async () => {
    const widget = await mountState('unknown-type', 'en');
    await until('the requisites', () => rootOf(widget).querySelector('[part=requisites]'));
    const open = (): string[] => headingsOf(widget, 'details[open] > summary');
    assert.deepEqual(headingsOf(widget, 'h3, h4, summary'), [
      'Transfer the money',
      'By card number',
      'By account number',
    ]);
    assert.deepEqual(open(), ['By card number']);
    all(widget, 'summary')[1]?.click();
    await until('the other kind alone', () => open().join() === 'By account number');
    await widget.refresh();
    assert.deepEqual(open(), ['By account number']);
  });

  it('have no name of their kind where there is only one', async () => {
    assert.deepEqual(headingsOf(await mountState('qr-sbp', 'en'), 'details, summary'), []);
  });

  for (const [name, pattern] of [
    ['sbp', /^Exactly ₽1,500\.00, in one transfer, only to Т-Банк, by \d\d?:15 .*\S\.$/],
    ['qr-sbp', /^Exactly ₽1,500\.00, in one transfer, only to Т-Банк, by \d\d?:15 .*\S\.$/],
    ['everything', /^Exactly ₽1,500\.00, in one transfer, only to Т-Банк, by \d\d?:15 .*\S\.$/],
    ['no-bank', /^Exactly ₽1,500\.00, in one transfer, by \d\d?:15 .*\S\.$/],
  ] as const)
    it(`stand under the exact amount, one transfer, the bank and the end with its zone: ${name}`, async () => {
      const widget = await mountState(name, 'en');
      const rule = find(widget, '.rule', HTMLElement);
      assert.match(textOf(rule).replace(/[\u2068\u2069]/g, ''), pattern);
      const list = find(widget, '[part=requisites]', HTMLElement);
      assert.ok(rule.compareDocumentPosition(list) & Node.DOCUMENT_POSITION_FOLLOWING);
    });

  it('name the day of an end that is more than half a day away, and no end that is not known', async () => {
    const rule = async (rest: Partial<CheckoutInvoice>): Promise<string> => {
      const widget = await mount(new Backend(pending({ ...sbp, ...rest })), 'en');
      return textOf(await until('the rule', () => rootOf(widget).querySelector('.rule')));
    };
    assert.include(await rule({ expires_at: '2026-11-22T12:00:00Z', expires_in_ms: 180_000_000 }), 'November 22 at');
    assert.notInclude(await rule({ expires_at: '2026-11-20T10:15:00Z', expires_in_ms: 900_000 }), 'November');
    assert.notInclude(await rule({ expires_at: undefined, expires_in_ms: undefined }), ', by ');
    assert.notInclude(await rule({ expires_at: 'soon' }), ', by ');
  });

  it('have the bank as large as the number, and both larger than the rest', async () => {
    const widget = await mountState('sbp', 'en');
    const sizes = all(widget, '[part=value]').map((value) => parseFloat(getComputedStyle(value).fontSize));
    const [number = 0, bank, holder = 0, amount] = sizes;
    assert.equal(bank, number);
    assert.equal(amount, holder);
    assert.isAbove(number, holder);
  });

  it('warn of another name for a phone number and a card, whose bank shows the name, and not for an account', async () => {
    const hint = async (name: string): Promise<string> =>
      textOf(rootOf(await mountState(name, 'en')).querySelector('dd small'));
    const warning = 'Your bank will show this name. Another name? Do not send.';
    assert.deepEqual([await hint('sbp'), await hint('card'), await hint('transfer')], [warning, warning, '']);
  });

  it('each have a button "Copy <label>"', async () => {
    const widget = await mountState('card', 'en');
    assert.deepEqual(
      all(widget, '[part=copy]').map((copy) => copy.getAttribute('aria-label')),
      ['Copy Card number', 'Copy Recipient’s bank', 'Copy Recipient', 'Copy Amount'],
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

  it('are gone while the last check runs', async () => {
    const widget = await mountState('checking');
    expect(all(widget, '[part=requisite], [part=qr], [role=timer]')).to.have.length(0);
  });
});

describe('the time', () => {
  it('is a timer with a bar', async () => {
    const widget = await mountState('sbp');
    expect(textOf(find(widget, '[role=timer]', HTMLElement))).to.match(/^14:3[12]$/);
    const bar = find(widget, 'progress', HTMLProgressElement);
    expect(bar.position).to.be.within(0.98, 1);
  });

  it('is read again within two seconds after a sleep', async () => {
    const backend = new Backend(pending(sbp));
    const widget = await mount(backend);
    await until('a held answer', () => backend.waiting === 1);
    const before = backend.reads;
    let seconds = 0;
    const observer = new MutationObserver(() => (seconds += 1));
    observer.observe(find(widget, '[role=timer]', HTMLElement), { childList: true });
    const { now } = Date;
    Date.now = () => now() + 60_000;
    await until('another read', () => backend.reads > before);
    Date.now = now;
    observer.disconnect();
    expect(seconds).to.be.at.most(2);
  });

  it('is written in days and hours where it is long', async () => {
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

  it('let the payer try again after failed', async () => {
    const widget = await mountState('failed');
    button(widget, /снова/).click();
    await widget.updateComplete;
    assert.equal(widget.state.status, 'choosing');
  });

  for (const [name, lang, next, order] of [
    ['closed', 'ru', 'не\u00a0переводите деньги. Уже перевели? Обратитесь в\u00a0магазин.', 'Номер заказа 1001'],
    ['closed', 'en', 'do not send money. Have you already sent it? Ask the shop.', 'Order number 1001'],
    ['closed-refused', 'en', 'do not send money. Have you already sent it? Ask the shop.', 'Order number 1001'],
  ] as const)
    it(`of ${name} in ${lang} say what to do, name the order, and offer no other payment`, async () => {
      const widget = await mountState(name, lang);
      assert.equal(widget.state.status, 'closed');
      expect(rootOf(widget).querySelector('h3 + p')?.textContent).to.contain(next);
      expect(textOf(rootOf(widget).querySelector('dl'))).to.contain(order);
      assert.equal(find(widget, '.screen a', HTMLAnchorElement).href, 'https://shop.example/cart');
      assert.deepEqual(all(widget, 'button:not([part=copy]), input, [part=requisite], [part=qr]'), []);
    });

  it('have a slot for the merchant', async () => {
    for (const name of ['paid', 'failed', 'expired', 'closed'])
      expect(all(await mountState(name), `slot[name=${name}]`), name).to.have.length(1);
  });
});
