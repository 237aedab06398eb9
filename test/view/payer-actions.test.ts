import { assert } from '@open-wc/testing';
import { makeEndedCheckout, links, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import { Backend } from './changeable-backend.ts';
import { find, findButton, mount, mountState, nextEvent, rootOf, until, setPhone } from './widget-from-source.ts';

/** Returns a list to which the element's actions are added as it reports them. */
function recordActions(widget: PayInvoiceElement): string[] {
  const actions: string[] = [];
  widget.addEventListener('pay-invoice-action', ({ action }) => actions.push(action));
  return actions;
}

/** Keeps links from leaving the test's page. */
const preventNavigation = (event: Event): void => event.preventDefault();

describe('the actions of the payer', () => {
  beforeEach(() => addEventListener('click', preventNavigation));
  afterEach(() => removeEventListener('click', preventNavigation));

  it('include opening the link to the bank and saving the QR', async () => {
    setPhone(true);
    const widget = await mountState('qr', 'en');
    const actions = recordActions(widget);
    find(widget, '[part=qr-link]', HTMLAnchorElement).click();
    await until('the QR', () => rootOf(widget).querySelector('[part=qr]'));
    findButton(widget, /^Save/).click();
    setPhone(false);
    assert.deepEqual(actions, ['link_open', 'qr_save']);
  });

  it('include a check of the payment, and no retry before there is an invoice', async () => {
    const checkingWidget = await mountState('checking', 'en');
    const actionsWhileChecking = recordActions(checkingWidget);
    findButton(checkingWidget, /^Check payment$/).click();
    assert.deepEqual(actionsWhileChecking, ['check']);
    const widgetWithoutOptions = await mountState('no-options', 'en');
    const actionsWithoutOptions = recordActions(widgetWithoutOptions);
    findButton(widgetWithoutOptions, /^Try again$/).click();
    assert.deepEqual(actionsWithoutOptions, []);
  });

  it('include printing the receipt', async () => {
    const widget = await mountState('paid', 'en');
    const actions = recordActions(widget);
    let printCalls = 0;
    window.print = () => (printCalls += 1);
    findButton(widget, /^Print/).click();
    Reflect.deleteProperty(window, 'print');
    assert.deepEqual([actions, printCalls], [['print'], 1]);
  });

  it('bubble out of the shadow roots of the page', async () => {
    const box = document.body.appendChild(document.createElement('div'));
    const widget = await mount(new Backend(makePendingCheckout({ ...sbp, ...links })), 'en');
    box.attachShadow({ mode: 'open' }).append(widget);
    await until('the link', () => rootOf(widget).querySelector('[part=qr-link]'));
    const actionEvent = nextEvent(document.body, 'pay-invoice-action');
    find(widget, '[part=qr-link]', HTMLAnchorElement).click();
    assert.equal((await actionEvent).action, 'link_open');
    box.remove();
  });
});

describe('a native app around the page', () => {
  const handlers = { webkit: undefined, payInvoiceApp: undefined };
  afterEach(() => {
    for (const name of Object.keys(handlers)) Reflect.deleteProperty(window, name);
  });

  /** Runs the documented lines once, for all tests of this page. */
  before(async () => {
    const guide = await (await fetch('/docs/page.md')).text();
    const [, code] = /^## Inside a native app$[^]*?^```js\n([^]*?)^```$/m.exec(guide) ?? [];
    const script = document.createElement('script');
    script.textContent = `{${code ?? 'throw new Error("the guide has no lines for native apps")'}}`;
    document.head.append(script);
  });

  for (const { receiver, name, createObject } of [
    {
      receiver: 'a message handler of WKWebView',
      name: 'webkit',
      createObject: (postMessage: (message: string) => void) => ({ messageHandlers: { payInvoice: { postMessage } } }),
    },
    {
      receiver: 'a JavaScript interface of Android',
      name: 'payInvoiceApp',
      createObject: (postMessage: (message: string) => void) => ({ postMessage }),
    },
  ])
    it(`receives the events through ${receiver}, by the lines in the guide`, async () => {
      const messages: string[] = [];
      Object.defineProperty(window, name, {
        configurable: true,
        value: createObject((message) => {
          assert.isString(message); // An Android interface accepts nothing else.
          messages.push(message);
        }),
      });
      const backend = new Backend(makePendingCheckout(sbp));
      const widget = await mount(backend, 'en');
      await until('ready', () => messages.some((message) => message.includes('ready')));
      backend.setCheckout(makeEndedCheckout('paid'));
      await widget.refresh();
      await until('paid', () => messages.includes('{"type":"pay-invoice-paid","status":"paid"}'));
      assert.notInclude(messages.join(), 'chk_');
    });
});
