import { assert, fixture, html } from '@open-wc/testing';
import { makeEndedCheckout } from '../../demo/gallery-checkouts.ts';
import { registerLocale } from '../../src/locales.ts';
import { LanguageController } from '../../src/view/controllers/language.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { Backend } from './changeable-backend.ts';
import { find, findAll, mount, mountState, rootOf, textOf, until } from './widget-from-source.ts';

const findBase = (widget: Element): HTMLElement => find(widget, '[part=base]', HTMLElement);
const amountOf = (widget: Element): string => textOf(find(widget, '[part=amount]', HTMLElement));

/** Some texts in Arabic, for the direction. */
const arabic = {
  'widget.name': 'الدفع',
  'header.due': 'المبلغ المستحق',
  'options.title': 'طريقة الدفع',
  'options.pay-by-sbp': 'متابعة',
  'requisite.phone': 'رقم الهاتف',
};

describe('a language that the page registers', () => {
  it('shows its own texts, and English texts where it has none', async () => {
    registerLocale('ar', arabic);
    const widget = await mountState('options', 'ar-EG');
    assert.deepEqual([findBase(widget).lang, findBase(widget).dir], ['ar-EG', 'rtl']);
    assert.equal(textOf(find(widget, '[part=continue]', HTMLElement)), 'متابعة');
    const waitingWidget = await mountState('sbp', 'ar');
    assert.include(textOf(find(waitingWidget, '[part=requisite]', HTMLElement)), 'رقم الهاتف');
    assert.include(textOf(rootOf(waitingWidget).querySelector('h3')), 'Transfer');
  });

  it('appears in elements that are on the page already', async () => {
    const widget = await mountState('options', 'it');
    assert.equal(textOf(find(widget, '[part=continue]', HTMLElement)), 'Pay by SBP');
    registerLocale('it', () => Promise.resolve({ 'options.pay-by-sbp': 'Continua' }));
    await until('its texts', () => textOf(find(widget, '[part=continue]', HTMLElement)) === 'Continua');
  });

  it('mirrors the layout when it is written from right to left', async () => {
    registerLocale('ar', arabic);
    const widget = await mount(new Backend(), 'ar');
    const radio = await until('options', () => rootOf(widget).querySelector('[type=radio]'));
    const middleOf = (element: Element | null): number => {
      const { left = NaN, right = NaN } = element?.getBoundingClientRect() ?? {};
      return (left + right) / 2;
    };
    assert.isAbove(middleOf(radio), middleOf(radio.closest('label')));
  });

  it('aligns each value with the beginning of its label when it is written from right to left', async () => {
    registerLocale('ar', arabic);
    const widget = await mountState('sbp', 'ar');
    const rightOf = (element: Element | null): number => element?.getBoundingClientRect().right ?? NaN;
    for (const row of findAll(widget, '[part=requisite]')) {
      const ends = [...row.querySelectorAll('[part=value] span')].map(rightOf);
      assert.approximately(Math.max(...ends), rightOf(row.querySelector('dt')), 8, textOf(row));
    }
  });
});

describe('the texts of a language whose file failed', () => {
  it('are loaded again after five seconds, and are Russian until then', async () => {
    const results = [Promise.reject(new Error('network')), Promise.resolve({ 'options.title': 'mIw' })];
    registerLocale('tlh', () => results.shift() ?? Promise.reject(new Error('asked too often')));
    const host = Object.assign(document.createElement('div'), {
      lang: 'tlh',
      messages: undefined,
      updateComplete: Promise.resolve(true),
      addController: () => undefined,
      removeController: () => undefined,
      requestUpdate: () => controller.hostUpdate(),
    });
    const clock = new FakeClock();
    const errors: unknown[] = [];
    const controller = new LanguageController(
      host,
      clock,
      () => undefined,
      (cause) => errors.push(cause),
    );
    controller.hostUpdate();
    await controller.loaded;
    assert.deepEqual(errors.map(String), ['Error: network']);
    assert.equal(controller.texts?.m('options.title'), 'Способ оплаты');
    clock.tick(5001);
    await controller.loaded;
    assert.equal(controller.texts?.m('options.title'), 'mIw');
  });
});

describe('the texts of a language whose file stalls', () => {
  it('do not hold back the event of a payment', async () => {
    registerLocale('tlh-stalled', () => new Promise(() => undefined));
    const widget = document.createElement('pay-invoice');
    Object.assign(widget, { lang: 'tlh-stalled', transport: new Backend(makeEndedCheckout('paid')) });
    const events: string[] = [];
    for (const type of ['ready', 'status', 'paid'] as const)
      widget.addEventListener(`pay-invoice-${type}`, () => events.push(type));
    await fixture(widget);
    await until('the event', () => events.includes('paid'));
    assert.deepEqual(events, ['status', 'paid']);
  });
});

describe('the language of an element', () => {
  it('sets the number format and the inner `lang`, also where the page has texts of its own', async () => {
    const widget = await fixture<HTMLElement>(
      html`<pay-invoice
        lang="de"
        .messages=${{ 'header.due': 'Zu zahlen' }}
        .transport=${new Backend()}
      ></pay-invoice>`,
    );
    await until('options', () => rootOf(widget).querySelector('[type=radio]'));
    assert.deepEqual([findBase(widget).lang, findBase(widget).dir], ['de', 'ltr']);
    assert.equal(amountOf(widget), 'Zu zahlen 1.500,00 ₽');
  });

  it('is that of its texts where there are none in the language of the page', async () => {
    Object.defineProperty(navigator, 'languages', { configurable: true, value: ['ru'] });
    const widget = await mount(new Backend(), 'he');
    await until('options', () => rootOf(widget).querySelector('[type=radio]'));
    Reflect.deleteProperty(navigator, 'languages');
    assert.deepEqual([findBase(widget).lang, findBase(widget).dir], ['ru', 'ltr']);
    assert.equal(amountOf(widget), 'К оплате 1 500,00 ₽');
  });

  it('sets the direction from left to right in a page that is written from right to left', async () => {
    const box = await fixture(
      html`<div dir="rtl"><pay-invoice lang="ru" .transport=${new Backend()}></pay-invoice></div>`,
    );
    const widget = await until('the element', () => box.querySelector('pay-invoice'));
    await until('options', () => rootOf(widget).querySelector('[type=radio]'));
    assert.equal(getComputedStyle(findBase(widget)).direction, 'ltr');
  });

  it('changes with the `lang` of an ancestor in the same shadow root', async () => {
    const host = await fixture(html`<div></div>`);
    const root = host.attachShadow({ mode: 'closed' });
    const section = document.createElement('section');
    section.lang = 'ru';
    root.append(section);
    const widget = document.createElement('pay-invoice');
    widget.transport = new Backend();
    section.append(widget);
    await until('Russian', () => rootOf(widget).querySelector('[part=base]')?.getAttribute('lang') === 'ru');
    section.lang = 'en';
    await until('English', () => findBase(widget).lang === 'en');
  });

  it('keeps the built-in texts for the refusal reasons that the page’s own texts do not name', async () => {
    const widget = await mountState('refused', 'en');
    const reasonText = (): string => textOf(rootOf(widget).querySelector('[part=error]'));
    widget.messages = { 'refused.other': 'Call us.' };
    await widget.updateComplete;
    assert.equal(reasonText(), 'This method isn’t available now. Choose another.');
    widget.messages = { 'refused.method_unavailable': 'Not today.' };
    await until('the page’s own', () => reasonText() === 'Not today.');
  });
});
