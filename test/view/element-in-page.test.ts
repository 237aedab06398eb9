import { assert, fixture, html } from '@open-wc/testing';
import { checkoutWithoutInvoice, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import { Backend } from './changeable-backend.ts';
import { find, findAll, mount, mountState, rootOf, textOf, until } from './widget-from-source.ts';

describe('the element in a page', () => {
  it('keeps the chosen method when it is moved, and reads the checkout again', async () => {
    const backend = new Backend({ ...checkoutWithoutInvoice, poll_after_ms: 1000 });
    const widget = await mount(backend);
    await until('options', () => widget.state.status === 'choosing');
    findAll(widget, '[type=radio]')[1]?.click();
    const parent = widget.parentElement;
    widget.remove();
    const { reads } = backend;
    parent?.append(widget);
    await widget.updateComplete;
    assert.equal(find(widget, ':checked', HTMLInputElement).getAttribute('aria-labelledby'), 'm1');
    await until('a read', () => backend.reads > reads);
  });

  it('ends its long poll when it is removed, and does not read a checkout that changes afterwards', async () => {
    const backend = new Backend({ ...makePendingCheckout(sbp), poll_after_ms: 1000 });
    const widget = await mount(backend);
    await until('a long poll', () => backend.heldLongPolls === 1);
    const { reads } = backend;
    widget.remove();
    await until('the end of the long poll', () => backend.heldLongPolls === 0);
    backend.setCheckout({ ...makePendingCheckout(sbp), status: 'paid' });
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.deepEqual([backend.reads, widget.state.status], [reads, 'waiting']);
  });

  it('starts a new session when its transport is replaced', async () => {
    const widget = await mount(new Backend());
    widget.transport = new Backend({ ...makePendingCheckout(sbp), id: 'co_2' });
    await until('requisites', () => rootOf(widget).querySelector('[part=requisites]'));
    assert.equal(widget.state.status, 'waiting');
  });

  it('restores the default of a property when its attribute is removed', () => {
    const widget = document.createElement('pay-invoice');
    for (const name of ['endpoint', 'checkout', 'method']) widget.setAttribute(name, 'other');
    for (const name of ['endpoint', 'checkout', 'method']) widget.removeAttribute(name);
    assert.deepEqual([widget.endpoint, widget.checkout, widget.method], ['/checkout', '', '']);
  });

  it('says again what it is when a tool of the page has removed its attributes or changed its status', async () => {
    const widget = await mountState('paid', 'en');
    const names = ['role', 'aria-label', 'status'];
    const values = (): string => names.map((name) => widget.getAttribute(name)).join();
    for (const name of names) widget.removeAttribute(name);
    await until('all of it', () => values() === 'region,Payment,paid');
    widget.setAttribute('status', 'open');
    await until('its own status', () => values() === 'region,Payment,paid');
  });

  it('sends one request when it is mounted twice in a row, as React does in development', async () => {
    const backend = new Backend();
    const widget = document.createElement('pay-invoice');
    widget.lang = 'ru';
    widget.transport = backend;
    document.body.append(widget);
    widget.remove();
    document.body.append(widget);
    await until('options', () => widget.state.status === 'choosing');
    assert.equal(backend.reads, 1);
    widget.remove();
  });

  it('starts a new session when its checkout changes, and ignores responses for the previous checkout', async () => {
    const requestedPaths: string[] = [];
    const pendingResponses: (() => void)[] = [];
    const fetch = window.fetch.bind(window);
    window.fetch = async (address) => {
      const { pathname } = new URL(address instanceof Request ? address.url : address, location.href);
      requestedPaths.push(pathname);
      const id = pathname.split('/').at(-1) ?? '';
      if (id === 'chk_slow') await new Promise<void>((resolve) => pendingResponses.push(resolve));
      return Response.json({ ...checkoutWithoutInvoice, id: id.replace('chk', 'co') });
    };
    const widget = await fixture<PayInvoiceElement>(
      html`<pay-invoice lang="ru" endpoint="/one" checkout="chk_slow"></pay-invoice>`,
    );
    await until('the first request', () => requestedPaths.length === 1);
    widget.setAttribute('checkout', 'chk_2');
    widget.setAttribute('endpoint', '/two');
    await until('the second checkout', () => widget.state.status === 'choosing');
    pendingResponses.forEach((respond) => respond());
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.equal('checkout' in widget.state && widget.state.checkout.id, 'co_2');
    assert.deepEqual(requestedPaths, ['/one/chk_slow', '/two/chk_2']);
    widget.remove();
    window.fetch = fetch;
  });

  it('keeps its own choice of a method beside another element on the page', async () => {
    const [firstWidget, secondWidget] = await Promise.all([mount(new Backend()), mount(new Backend())]);
    await until(
      'options',
      () => findAll(firstWidget, '[type=radio]').length + findAll(secondWidget, '[type=radio]').length === 8,
    );
    findAll(firstWidget, '[type=radio]')[1]?.click();
    await firstWidget.updateComplete;
    assert.deepEqual(
      [firstWidget, secondWidget].map((widget) =>
        find(widget, ':checked', HTMLInputElement).getAttribute('aria-labelledby'),
      ),
      ['m1', 'm0'],
    );
  });

  /** Mounts a widget in the shadow root of a part that is in the shadow root of a component. */
  async function mountInShadowRoots(pageLang: string, componentLang: string): Promise<PayInvoiceElement> {
    const page = await fixture(html`<div lang=${pageLang}><div></div></div>`);
    const component = page.firstElementChild?.attachShadow({ mode: 'open' });
    const part = component?.appendChild(document.createElement('div'));
    if (componentLang !== '') part?.setAttribute('lang', componentLang);
    const widget = document.createElement('pay-invoice');
    widget.transport = new Backend();
    part?.attachShadow({ mode: 'open' }).append(widget);
    await until('the heading', () => rootOf(widget).querySelector('h2'));
    return widget;
  }

  const languageOf = (widget: Element): string | undefined => find(widget, '[part=base]', HTMLElement).lang;

  it('takes the language of the nearest ancestor, which may be in another shadow root', async () => {
    assert.equal(languageOf(await mountInShadowRoots('en-GB', 'ru-KZ')), 'ru-KZ');
    assert.equal(languageOf(await mountInShadowRoots('ru-KZ', 'en-GB')), 'en-GB');
    assert.equal(languageOf(await mountInShadowRoots('ru-KZ', '')), 'ru-KZ');
  });

  it('changes its language when an ancestor in the document does, and when its own attribute does', async () => {
    const widget = await mountInShadowRoots('en-GB', '');
    document.querySelector('div[lang]')?.setAttribute('lang', 'ru-KZ');
    await until('the ancestor’s language', () => languageOf(widget) === 'ru-KZ');
    assert.include(textOf(find(widget, 'h2', HTMLElement)), 'К оплате');
    widget.lang = 'en-GB';
    await until('its own language', () => languageOf(widget) === 'en-GB');
    assert.include(textOf(find(widget, 'h2', HTMLElement)), 'To pay');
  });

  it('applies the theme that is set', async () => {
    const widget = await mountState('options');
    const surfaceColour = (): string => getComputedStyle(find(widget, '[part=base]', HTMLElement)).backgroundColor;
    const lightColour = surfaceColour();
    widget.theme = 'dark';
    await widget.updateComplete;
    assert.notEqual(surfaceColour(), lightColour);
    widget.theme = 'auto';
    await widget.updateComplete;
    assert.equal(surfaceColour(), lightColour);
  });
});
