import { assert, expect, fixture } from '@open-wc/testing';
import { html } from 'lit';
import { card, checkoutWithoutInvoice, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { playState } from '../../demo/play-gallery-state.ts';
import type { PaymentOption } from '../../src/checkout-api.ts';
import { Backend } from './changeable-backend.ts';
import {
  find,
  findAll,
  findButton,
  mount,
  mountState,
  rootOf,
  stateNamed,
  textOf,
  until,
} from './widget-from-source.ts';

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

  it('shows a badge for a test checkout', async () => {
    const badge = async (lang: string): Promise<string> =>
      textOf(find(await mountState('test', lang), '[part=badge]', HTMLElement));
    assert.equal(await badge('ru'), 'ТЕСТ');
    assert.equal(await badge('en'), 'TEST');
    assert.equal(rootOf(await mountState('options')).querySelector('[part=badge]'), null);
  });

  it('says above the requisites of a test that no real money may be sent, and nowhere else', async () => {
    const isSaid = async (test: boolean): Promise<boolean> => {
      const widget = await mount(new Backend(makePendingCheckout(card, { test })), 'en');
      await until('the requisites', () => rootOf(widget).querySelector('[part=requisites]'));
      return textOf(find(widget, '.screen', HTMLElement)).includes('do not send real money');
    };
    assert.deepEqual([await isSaid(true), await isSaid(false)], [true, false]);
  });
});

describe('the methods', () => {
  it('name the banks that take the amount, each whole: at most five, or four and how many more', async () => {
    const namesIn = async (count: number): Promise<string[]> => {
      const banks = Array.from({ length: count }, (_, index) => ({
        code: 'bank',
        name: `Bank ${index + 1}`,
        available: true,
        limits: {},
      }));
      const options = checkoutWithoutInvoice.options.slice(0, 1).map((option) => ({ ...option, banks }));
      const widget = await mount(new Backend({ ...checkoutWithoutInvoice, options }), 'en');
      await until('the method', () => rootOf(widget).querySelector('#m0'));
      return findAll(widget, '[part=banks] bdi').map(textOf);
    };
    assert.deepEqual(await namesIn(5), ['Bank 1', 'Bank 2', 'Bank 3', 'Bank 4', 'Bank 5']);
    assert.deepEqual(await namesIn(7), ['Bank 1', 'Bank 2', 'Bank 3', 'Bank 4', '+3']);
  });

  it('say “Banks:” in the language of the screen, and have nothing but radios in their group', async () => {
    const widget = await mountState('options', 'en');
    const banks = find(widget, '[part=banks]', HTMLElement);
    assert.equal(banks.querySelector('.sr')?.closest('[lang]')?.getAttribute('lang'), 'en');
    assert.equal(banks.querySelector('bdi')?.getAttribute('lang'), 'ru');
    assert.deepEqual(findAll(widget, '[role=radiogroup] :is(h2, h3, h4)'), []);
  });

  it('show the page’s picture of a type, and the element’s own icon where that picture cannot be loaded', async () => {
    const pictures = ['data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>', '/no-such-picture.svg'];
    const widget = await mountState('options');
    const [known, missing] = ['sbp', 'card'].map((type, index) => {
      const image = document.createElement('img');
      image.slot = `method-${type}`;
      image.src = pictures[index] ?? '';
      image.alt = '';
      widget.append(image);
      return image;
    });
    await widget.refresh();
    widget.requestUpdate();
    await until('the icon', () => missing?.slot === '');
    assert.equal(known?.slot, 'method-sbp');
  });

  it('have no radio where only one can be used, which the button then names', async () => {
    const [first, , ...others] = checkoutWithoutInvoice.options;
    const options = first ? [first, ...others] : [];
    const widget = await mount(new Backend({ ...checkoutWithoutInvoice, options }), 'ru');
    await until('the method', () => rootOf(widget).querySelector('#m0'));
    assert.deepEqual(findAll(widget, '[type=radio], [role=radiogroup]'), []);
    assert.equal(textOf(find(widget, '[part=continue]', HTMLElement)), 'Оплатить через СБП');
  });

  it('have a button that says what follows for the chosen one, or what the page says for all', async () => {
    const texts: string[] = [];
    for (const messages of [{}, { 'options.continue': 'Go on' }]) {
      const options = ['SBP', 'BANK_TRANSFER', 'WALLET'].map((type) => ({
        ...checkoutWithoutInvoice.options[0],
        id: type,
        type,
        name: type,
        code: type,
        available: true,
        limits: {},
        banks: [],
      }));
      const widget = await mount(new Backend({ ...checkoutWithoutInvoice, options }), 'en');
      widget.messages = messages;
      await until('the methods', () => rootOf(widget).querySelector('#m2'));
      for (const radio of findAll(widget, '[type=radio]')) {
        if (radio instanceof HTMLElement) radio.click();
        await widget.updateComplete;
        texts.push(textOf(find(widget, '[part=continue]', HTMLElement)));
      }
    }
    assert.deepEqual(texts, ['Pay by SBP', 'Get the details', 'Continue', 'Go on', 'Go on', 'Go on']);
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
    // Of several it stands beside the name of the type, because they differ by it alone.
    assert.equal(
      await nameOf([optionsNamed('Карта', 'CARD'), optionsNamed('Иностранная карта', 'CARD')].flat(), 'en'),
      'Transfer to a card (Карта)',
    );
    assert.equal(await nameOf(optionsNamed('Кошелёк', 'WALLET'), 'en'), 'x (Кошелёк)');
    assert.equal(await nameOf(optionsNamed('SBP', 'SBP'), 'en', (type) => `By ${type}`), 'By SBP');
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
});

describe('the outcomes', () => {
  it('link back to the shop', async () => {
    const link = (widget: Element): string => find(widget, '.screen a', HTMLAnchorElement).href;
    assert.equal(link(await mountState('paid')), 'https://shop.example/thanks');
    assert.equal(link(await mountState('failed')), 'https://shop.example/cart');
    assert.equal(link(await mountState('expired')), 'https://shop.example/cart');
  });
});
