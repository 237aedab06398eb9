import { assert } from '@open-wc/testing';
import { ended, links, pending, sbp } from '../../demo/gallery-checkouts.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import { Backend } from './changeable-backend.ts';
import { button, find, mount, mountState, nextEvent, rootOf, until } from './render-widget.ts';

/** The actions that an element reports from now on. */
function actionsOf(widget: PayInvoiceElement): string[] {
  const actions: string[] = [];
  widget.addEventListener('pay-invoice-action', ({ action }) => actions.push(action));
  return actions;
}

/** Keeps links from leaving the test's page. */
const preventNavigation = (event: Event): void => event.preventDefault();

describe('the actions of the payer', () => {
  beforeEach(() => addEventListener('click', preventNavigation));
  afterEach(() => removeEventListener('click', preventNavigation));

  it('include the link to the bank and the saved QR', async () => {
    const widget = await mountState('qr', 'en');
    const actions = actionsOf(widget);
    find(widget, '[part=qr-link]', HTMLAnchorElement).click();
    await until('the QR', () => rootOf(widget).querySelector('[part=qr]'));
    button(widget, /^Save/).click();
    assert.deepEqual(actions, ['link_open', 'qr_save']);
  });

  it('include a check of the payment, and not a request that is repeated before there is an invoice', async () => {
    const waiting = await mountState('checking', 'en');
    const checks = actionsOf(waiting);
    button(waiting, /check$/).click();
    assert.deepEqual(checks, ['check']);
    const empty = await mountState('no-options', 'en');
    const repeats = actionsOf(empty);
    button(empty, /^Try again$/).click();
    assert.deepEqual(repeats, []);
  });

  it('include the printed receipt', async () => {
    const widget = await mountState('paid', 'en');
    const actions = actionsOf(widget);
    let printed = 0;
    window.print = () => (printed += 1);
    button(widget, /^Print/).click();
    Reflect.deleteProperty(window, 'print');
    assert.deepEqual([actions, printed], [['print'], 1]);
  });

  it('bubble out of the shadow roots of the page', async () => {
    const box = document.body.appendChild(document.createElement('div'));
    const widget = await mount(new Backend(pending({ ...sbp, ...links })), 'en');
    box.attachShadow({ mode: 'open' }).append(widget);
    await until('the link', () => rootOf(widget).querySelector('[part=qr-link]'));
    const seen = nextEvent(document.body, 'pay-invoice-action');
    find(widget, '[part=qr-link]', HTMLAnchorElement).click();
    assert.equal((await seen).action, 'link_open');
    box.remove();
  });
});

describe('a native app around the page', () => {
  const handlers = { webkit: undefined, payInvoiceApp: undefined };
  afterEach(() => {
    for (const name of Object.keys(handlers)) Reflect.deleteProperty(window, name);
  });

  /** Runs the documented lines once; they stay for the other tests of this page. */
  before(async () => {
    const guide = await (await fetch('/docs/integrating.md')).text();
    const [, code] = /^## Inside a native app$[^]*?^```js\n([^]*?)^```$/m.exec(guide) ?? [];
    const script = document.createElement('script');
    script.textContent = `{${code ?? 'throw new Error("the guide has no lines for native apps")'}}`;
    document.head.append(script);
  });

  for (const { what, name, object } of [
    {
      what: 'a message handler of WKWebView',
      name: 'webkit',
      object: (post: (message: string) => void) => ({ messageHandlers: { payInvoice: { postMessage: post } } }),
    },
    {
      what: 'a JavaScript interface of Android',
      name: 'payInvoiceApp',
      object: (post: (message: string) => void) => ({ postMessage: post }),
    },
  ])
    it(`receives the events by the documented lines, over ${what}`, async () => {
      const messages: string[] = [];
      Object.defineProperty(window, name, {
        configurable: true,
        value: object((message) => {
          assert.isString(message); // An Android interface accepts nothing else.
          messages.push(message);
        }),
      });
      const backend = new Backend(pending(sbp));
      const widget = await mount(backend, 'en');
      await until('ready', () => messages.some((message) => message.includes('ready')));
      backend.setCheckout(ended('paid'));
      await widget.refresh();
      await until('paid', () => messages.includes('{"type":"pay-invoice-paid","status":"paid"}'));
      assert.notInclude(messages.join(), 'chk_');
    });
});
