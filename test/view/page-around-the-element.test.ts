// What the page passes in, and the state that it is in, neither blanks the element nor makes it send what nobody asked for.
import { assert, fixture, html } from '@open-wc/testing';
import { checkoutWithoutInvoice, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import type { CheckoutTransport, CreateAnswer, CreateRequest } from '../../src/core.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import { Backend } from './changeable-backend.ts';
import { findAll, mount, textOf, until } from './widget-from-source.ts';

/** The texts of a page that has written `import * as texts`: no plain object. */
const textsOfModule: unknown = await import(
  new URL('data:text/javascript,const a = "a"; export { a as "paid.text" }').href
);

/** A backend whose answer to a create request comes when the test calls `answer`. */
class SlowBackend extends Backend {
  isAborted = false;
  answer: () => void = () => undefined;

  override createInvoice(_request: CreateRequest, signal?: AbortSignal): Promise<CreateAnswer> {
    signal?.addEventListener('abort', () => (this.isAborted = true));
    return new Promise((resolve) => {
      this.answer = () => resolve({ kind: 'created', checkout: makePendingCheckout(sbp) });
    });
  }
}

describe('properties of the page', () => {
  const throwError = (): unknown => JSON.parse('not JSON') as unknown;
  const throwing = Object.defineProperty({}, 'options.title', { enumerable: true, get: throwError });
  for (const [title, properties, reported] of [
    ['messages that throw', { messages: throwing }, ['messages']],
    ['messages that are null', { messages: null }, []],
    ['messages that are a number', { messages: 5 }, ['messages']],
    ['messages that are true', { messages: true }, ['messages']],
    ['messages that are a text', { messages: 'texts' }, ['messages']],
    ['messages that are a list', { messages: ['a', 'b'] }, ['messages']],
    ['messages that have not come yet', { messages: Promise.resolve({}) }, ['messages']],
    ['messages that are a map', { messages: new Map() }, ['messages']],
    ['messages of a module', { messages: textsOfModule }, []],
    ['messages with a number', { messages: { 'options.title': 5 } }, ['messages']],
    ['messages with a function', { messages: { 'options.title': () => 'Pay' } }, ['messages']],
    ['messages with forms without the last one', { messages: { 'return.link-in': { one: 'a' } } }, ['messages']],
    [
      'messages with forms and with a text for forms',
      { messages: { 'paid.text': { other: 'a' }, 'return.link-in': 'a' } },
      [],
    ],
    ['messages with nothing', { messages: { 'options.title': undefined, 'options.continue': null } }, []],
    ['a method that is undefined', { method: undefined, autoContinue: true }, []],
    ['a method that is a number', { method: 5, autoContinue: true }, []],
    ['a time that is no number', { returnAfter: 'soon' }, []],
    ['a hook `methodName` that throws', { methodName: throwError }, ['methodName']],
    ['a hook `methodName` that returns a number', { methodName: () => 5 }, ['methodName']],
    ['a hook `methodName` that is no function', { methodName: 'a text' }, ['methodName']],
  ] as const)
    it(`do not blank the widget, and an error is reported once: ${title}`, async () => {
      const errors: string[] = [];
      const widget = document.createElement('pay-invoice');
      widget.addEventListener('pay-invoice-error', ({ error }) => errors.push(String(error.field)));
      Object.assign(widget, { lang: 'en', transport: new Backend(), ...properties });
      document.body.append(widget);
      await until('the methods', () => findAll(widget, '[type=radio]:checked').length === 1);
      widget.requestUpdate();
      await until('the report', () => errors.length === reported.length);
      await widget.updateComplete;
      assert.deepEqual(errors, [...reported]);
      assert.equal(textOf(findAll(widget, 'h3')[0]), 'Payment method');
      assert.isAbove(textOf(findAll(widget, '[part=method] b')[0]).length, 0);
      widget.remove();
    });
});

describe('another object in `transport` while a create request is under way', () => {
  for (const checkout of ['chk_gallery', ''])
    it(`does not abort it${checkout ? '' : ', also without a checkout id'}`, async () => {
      const backend = new SlowBackend();
      const transport = (): CheckoutTransport => ({
        read: (request, signal) => backend.read(request, signal),
        createInvoice: (request, signal) => backend.createInvoice(request, signal),
      });
      const widget = await fixture<PayInvoiceElement>(
        html`<pay-invoice lang="en" checkout=${checkout} .transport=${transport()}></pay-invoice>`,
      );
      await until('the methods', () => widget.state.status === 'choosing');
      widget.continue();
      await until('the request', () => widget.state.status === 'creating');
      widget.transport = transport();
      await widget.updateComplete;
      assert.isFalse(backend.isAborted);
      backend.setCheckout(makePendingCheckout(sbp));
      backend.answer();
      await until('the requisites', () => widget.state.status === 'waiting');
    });
});

describe('a checkout in `initial`', () => {
  const mountInitial = async (ageMs: number): Promise<Backend> => {
    const backend = new Backend({ ...makePendingCheckout(sbp), status: 'paid' });
    const server_time = new Date(Date.now() - ageMs).toISOString();
    const initial = { ...makePendingCheckout(sbp), poll_after_ms: 60_000, server_time };
    const widget = await fixture<PayInvoiceElement>(
      html`<pay-invoice lang="en" .initial=${initial} .transport=${backend}></pay-invoice>`,
    );
    assert.notEqual(widget.state.status, 'loading');
    return backend;
  };

  it('is read at once when it is old, as in a page from the cache of the browser', async () => {
    const backend = await mountInitial(3_600_000);
    await until('a read', () => backend.reads > 0);
  });

  it('is not read at once when it is fresh', async () => {
    const backend = await mountInitial(0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(backend.reads, 0);
  });
});

describe('a page that is prerendered', () => {
  let isPrerendering = false;
  before(() => Object.defineProperty(document, 'prerendering', { configurable: true, get: () => isPrerendering }));
  after(() => Reflect.deleteProperty(document, 'prerendering'));

  it('reads nothing and creates nothing until the payer opens it', async () => {
    isPrerendering = true;
    const backend = new Backend(checkoutWithoutInvoice);
    const widget = await fixture<PayInvoiceElement>(
      html`<pay-invoice lang="en" method="SBP" auto-continue .transport=${backend}></pay-invoice>`,
    );
    widget.remove();
    document.body.append(widget);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual([backend.reads, widget.state.status], [0, 'loading']);
    isPrerendering = false;
    document.dispatchEvent(new Event('prerenderingchange'));
    await until('the checkout', () => widget.state.status !== 'loading');
    widget.remove();
  });
});

describe('an element in a page that is being parsed', () => {
  it('leaves no listener behind after twenty mounts', async () => {
    Object.defineProperty(document, 'readyState', { configurable: true, get: () => 'loading' });
    const listeners = new Set<unknown>();
    const add = window.addEventListener.bind(window);
    const remove = window.removeEventListener.bind(window);
    window.addEventListener = (...args: Parameters<typeof add>) => {
      if (args[0] === 'DOMContentLoaded') listeners.add(args[1]);
      add(...args);
    };
    window.removeEventListener = (...args: Parameters<typeof remove>) => {
      if (args[0] === 'DOMContentLoaded') listeners.delete(args[1]);
      remove(...args);
    };
    try {
      const widget = await mount(new Backend());
      const { parentElement } = widget;
      for (let count = 0; count < 20; count += 1) {
        widget.remove();
        parentElement?.append(widget);
      }
      assert.equal(listeners.size, 1);
      widget.remove();
      assert.equal(listeners.size, 0);
    } finally {
      Reflect.deleteProperty(document, 'readyState');
      Object.assign(window, { addEventListener: add, removeEventListener: remove });
    }
  });
});
