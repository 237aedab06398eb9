// What the page sets, takes away or sets too early, and the page into which it moves the element.
import { assert, fixture, html } from '@open-wc/testing';
import { makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { Backend } from './changeable-backend.ts';
import { find, mount, rootOf, until } from './widget-from-source.ts';

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
    for (const absent of [undefined, null, ''])
      it(`has its default when it becomes ${JSON.stringify(absent)}: ${name}`, () => {
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
    const before = [displayOf(), rootOf(widget).adoptedStyleSheets.length];
    const frame = document.createElement('iframe');
    document.body.append(frame);
    (frame.contentDocument ?? assert.fail()).body.append(widget);
    await widget.updateComplete;
    assert.deepEqual([displayOf(), rootOf(widget).adoptedStyleSheets.length], before);
    document.body.append(widget);
    await widget.updateComplete;
    assert.deepEqual([displayOf(), rootOf(widget).adoptedStyleSheets.length], before);
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
