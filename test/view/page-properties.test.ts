// What the page sets, takes away or sets too early, and the page into which it moves the element.
import { assert, fixture, html } from '@open-wc/testing';
import { makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import { Backend } from './changeable-backend.ts';
import { find, mount, rootOf, until } from './widget-from-source.ts';

/** Returns how often the element has updated since. An element that never stops is removed, so that the test can fail. */
function countUpdates(widget: PayInvoiceElement): () => number {
  let count = 0;
  widget.addController({
    hostUpdate() {
      count += 1;
      if (count > 50) widget.remove();
    },
  });
  return () => count;
}

describe('a property that the page takes away', () => {
  for (const [name, value, byDefault] of [
    ['endpoint', '/shop', '/checkout'],
    ['checkout', 'chk_1', ''],
    ['theme', 'dark', 'auto'],
    ['method', 'SBP', ''],
    ['phoneUrl', '/orders/1', ''],
    ['pageTitle', true, false],
    ['autoContinue', true, false],
    ['returnAfter', 30, 0],
    ['initial', makePendingCheckout(sbp), undefined],
    ['messages', {}, undefined],
    ['methodName', () => 'x', undefined],
    ['transport', new Backend(), undefined],
  ] as const)
    for (const absent of [undefined, null, '', NaN])
      it(`has its default when it becomes ${absent === '' ? 'an empty text' : String(absent)}: ${name}`, () => {
        const widget = document.createElement('pay-invoice');
        Object.assign(widget, { [name]: value });
        assert.equal(Reflect.get(widget, name), value);
        Object.assign(widget, { [name]: absent });
        assert.equal(Reflect.get(widget, name), byDefault);
      });

  it('has its default when its attribute is removed', () => {
    const widget = document.createElement('pay-invoice');
    widget.setAttribute('endpoint', '/shop');
    assert.equal(widget.endpoint, '/shop');
    widget.removeAttribute('endpoint');
    assert.equal(widget.endpoint, '/checkout');
  });

  it('is read at its default when it was absent from the start', async () => {
    const requested: string[] = [];
    const fetch = window.fetch.bind(window);
    window.fetch = (input) => {
      requested.push(input instanceof Request ? input.url : String(input));
      return Promise.resolve(new Response(null, { status: 404 }));
    };
    await fixture(html`<pay-invoice .endpoint=${undefined} checkout="chk_1"></pay-invoice>`);
    window.fetch = fetch;
    assert.deepEqual(requested, ['/checkout/chk_1']);
  });
});

describe('an endpoint that is no text, and a transport without its functions', () => {
  const read = (): Promise<never> => new Promise(() => undefined);
  for (const [name, values] of [
    ['endpoint', [0, 5, true, false, {}, [], new URL('https://shop.example/api')]],
    ['transport', [5, true, 'https', {}, { read }, { createInvoice: read }, { read: 5, createInvoice: read }]],
  ] as const)
    for (const value of values)
      it(`has its default, and the developer is told: ${name}, ${typeof value} ${Object.keys(value).join()}`, async () => {
        const told: unknown[] = [];
        const { warn } = console;
        const fetch = window.fetch.bind(window);
        console.warn = (...texts) => void told.push(...texts);
        window.fetch = read;
        const widget = await fixture<PayInvoiceElement>(
          html`<pay-invoice lang="en" checkout="chk_1" .initial=${makePendingCheckout(sbp)}></pay-invoice>`,
        );
        const byDefault: unknown = Reflect.get(widget, name);
        const errors: string[] = [];
        widget.addEventListener('pay-invoice-error', ({ error }) => errors.push(`${error.code} ${error.field}`));
        Object.assign(widget, { [name]: value });
        Object.assign(widget, { [name]: value });
        const result: unknown = Reflect.get(widget, name);
        await widget.updateComplete;
        console.warn = warn;
        window.fetch = fetch;
        assert.isTrue(result === byDefault);
        await until('the event', () => errors.length > 0);
        assert.deepEqual(errors, [`malformed ${name}`]);
        assert.deepEqual(told[0], '<pay-invoice>');
      });
});

describe('a property of another kind than its own', () => {
  const names = [
    'endpoint',
    'checkout',
    'theme',
    'method',
    'phoneUrl',
    'initial',
    'messages',
    'methodName',
    'returnAfter',
    'transport',
  ];
  for (const name of names)
    it(`does not keep the page busy: ${name}`, async () => {
      const { warn } = console;
      console.warn = () => undefined;
      const widget = await fixture<PayInvoiceElement>(
        html`<pay-invoice lang="en" checkout="chk_1" .transport=${new Backend()}></pay-invoice>`,
      );
      const updates = countUpdates(widget);
      for (const value of [NaN, 5, true, {}, [], () => 'x', new URL('https://shop.example/api')]) {
        const before = updates();
        Object.assign(widget, { [name]: value });
        await new Promise((resolve) => setTimeout(resolve, 50));
        assert.isBelow(updates() - before, 20, typeof value);
        await until('the methods', () => rootOf(widget).querySelector('[part=methods], [part=outcome]'));
      }
      console.warn = warn;
    });
});

describe('the language, where the page takes it away', () => {
  for (const [title, take] of Object.entries({
    'an empty property': (widget: HTMLElement): unknown => (widget.lang = ''),
    'a property that is undefined': (widget: HTMLElement) => Reflect.set(widget, 'lang', undefined),
    'a property that is null': (widget: HTMLElement) => Reflect.set(widget, 'lang', null),
    'an attribute that is no language': (widget: HTMLElement) => widget.setAttribute('lang', 'по-русски'),
    'no attribute': (widget: HTMLElement) => widget.removeAttribute('lang'),
  }))
    it(`is that of the page: ${title}`, async () => {
      const parts = await fixture(
        html`<div lang="kk">
          <div lang=""><pay-invoice lang="ru"></pay-invoice></div>
        </div>`,
      );
      const widget = parts.querySelector('pay-invoice') ?? assert.fail();
      widget.transport = new Backend();
      const languageOf = (): string | undefined => rootOf(widget).querySelector<HTMLElement>('[part=base]')?.lang;
      await until('its own language', () => languageOf() === 'ru');
      take(widget);
      await until('the language of the page', () => languageOf() === 'kk');
    });
});

describe('a property that the page sets before the element is defined', () => {
  it('is taken over, and does not hide the state and the status', async () => {
    const tag = 'pay-invoice-late';
    const values = { state: 'mine', status: 'mine', endpoint: '/shop', transport: new Backend() };
    const early = Object.assign(document.createElement(tag), values);
    document.body.append(early);
    customElements.define(tag, class extends (customElements.get('pay-invoice') ?? assert.fail()) {});
    assert.deepEqual(
      ['state', 'status', 'endpoint'].map((name) => Object.hasOwn(early, name)),
      [false, false, false],
    );
    await until('the first answer', () => early.getAttribute('status') === 'open');
    assert.equal(early.endpoint, '/shop');
    early.remove();
  });
});

describe('an element that is moved to another document', () => {
  it('keeps its look there, and back again', async () => {
    const widget = await mount(new Backend(makePendingCheckout(sbp)), 'ru');
    await until('the requisites', () => rootOf(widget).querySelector('[part=requisite]'));
    const displayOf = (): string => getComputedStyle(find(widget, '[part=requisite]', HTMLElement)).display;
    const rulesOf = (element: Element): string[] =>
      rootOf(element).adoptedStyleSheets.flatMap(({ cssRules }) => Array.from(cssRules, ({ cssText }) => cssText));
    const before = [displayOf(), rulesOf(widget)];
    const frame = document.createElement('iframe');
    document.body.append(frame);
    (frame.contentDocument ?? assert.fail()).body.append(widget);
    await widget.updateComplete;
    assert.deepEqual([displayOf(), rulesOf(widget)], before);
    document.body.append(widget);
    await widget.updateComplete;
    assert.deepEqual([displayOf(), rulesOf(widget)], before);
    // One that was made here, and is first connected there.
    const made = document.createElement('pay-invoice');
    Object.assign(made, { lang: 'ru', transport: new Backend(makePendingCheckout(sbp)) });
    (frame.contentDocument ?? assert.fail()).body.append(made);
    await until('the requisites', () => rootOf(made).querySelector('[part=requisite]'));
    const display = getComputedStyle(find(made, '[part=requisite]', HTMLElement)).display;
    assert.deepEqual([display, rulesOf(made)], before);
    frame.remove();
    widget.remove();
  });
});

describe('a mistake in what the page passes in', () => {
  for (const [title, properties, field] of [
    ['a name that throws', { methodName: () => assert.fail('the page') }, 'methodName'],
    ['a text with an unknown key', { messages: { 'options.titel': 'Pay' } }, 'messages'],
    ['a number in place of all texts', { messages: 5 }, 'messages'],
    ['a number in place of a text', { messages: { 'paid.text': 0 } }, 'messages'],
  ] as const)
    it(`is one warning and one event: ${title}`, async () => {
      const { warn } = console;
      const warnings: unknown[] = [];
      console.warn = (...values: unknown[]) => warnings.push(values);
      const errors: unknown[] = [];
      const onError = ({ error }: HTMLElementEventMap['pay-invoice-error']): unknown => errors.push(error.field);
      const widget = await fixture<HTMLElement>(
        html`<pay-invoice
          lang="ru"
          .transport=${new Backend()}
          .methodName=${'methodName' in properties ? properties.methodName : undefined}
          .messages=${'messages' in properties ? properties.messages : undefined}
          @pay-invoice-error=${onError}
        ></pay-invoice>`,
      );
      await until('the event', () => errors.length > 0);
      Object.assign(widget, { method: 'SBP' });
      await until('another render', () => rootOf(widget).querySelector('[type=radio]'));
      console.warn = warn;
      assert.deepEqual([errors, warnings.length], [[field], 1]);
    });
});
