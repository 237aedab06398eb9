import { assert } from '@open-wc/testing';
import type { ReactiveControllerHost } from 'lit';
import { ended, open, pending, sbp } from '../../demo/gallery-checkouts.ts';
import type { CheckoutTransport } from '../../src/core.ts';
import { openCheckout } from '../../src/dialog.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import type { Checkout } from '../../src/protocol.ts';
import { ReturnCountdown } from '../../src/view/automatic-steps/return-countdown.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { Backend } from './changeable-backend.ts';
import { all, button, mount, rootOf, textOf, until } from './render-widget.ts';

const withFirstOptions = (count: number): Checkout => ({ ...open, options: open.options.slice(0, count) });

describe('auto-continue', () => {
  /** A widget, and the methods for which it requests an invoice. */
  async function show(
    checkout: Checkout,
    properties: Partial<PayInvoiceElement>,
  ): Promise<[PayInvoiceElement, string[]]> {
    const requested: string[] = [];
    const backend = new Backend(checkout);
    const transport: CheckoutTransport = {
      read: (request, signal) => backend.read(request, signal),
      createInvoice(request) {
        requested.push(request.payment_method_id);
        return Promise.resolve({ kind: 'created', checkout: pending(sbp) });
      },
    };
    const widget = document.createElement('pay-invoice');
    Object.assign(widget, { lang: 'en', transport, ...properties });
    document.body.append(widget);
    await until('the checkout', () => 'checkout' in widget.state);
    await widget.updateComplete;
    return [widget, requested];
  }

  afterEach(() => document.querySelectorAll('body > pay-invoice').forEach((widget) => widget.remove()));

  it('requests an invoice at once where one method can be used, and not again when the payer goes back', async () => {
    const [widget, requested] = await show(withFirstOptions(1), { autoContinue: true });
    await until('the requisites', () => rootOf(widget).querySelector('[part=requisites]'));
    button(widget, /^Another payment method$/).click();
    await until('the methods', () => rootOf(widget).querySelector('[part=continue]'));
    await widget.updateComplete;
    assert.deepEqual(requested, ['pm_sbp']);
  });

  it('requests an invoice for the method that the page prefers among several, by its type', async () => {
    const [widget, requested] = await show(withFirstOptions(2), { autoContinue: true, method: 'card' });
    await until('the requisites', () => rootOf(widget).querySelector('[part=requisites]'));
    assert.deepEqual(requested, ['pm_card']);
  });

  /** Resolves when the file of the automatic steps is loaded and the widget has rendered with it. */
  async function stepsLoaded(widget: PayInvoiceElement): Promise<void> {
    await import('../../src/view/automatic-steps/automatic-steps.ts');
    for (let turn = 0; turn < 5; turn++) {
      widget.requestUpdate();
      await widget.updateComplete;
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  for (const [what, checkout, properties] of [
    ['it is not set', withFirstOptions(1), {}],
    ['there is a choice', withFirstOptions(2), { autoContinue: true }],
    ['the payer types the amount', { ...withFirstOptions(1), amount: null }, { autoContinue: true }],
    ['the method in `method` cannot be used', withFirstOptions(3), { autoContinue: true, method: 'BANK_TRANSFER' }],
  ] as const)
    it(`requests nothing where ${what}`, async () => {
      const [widget, requested] = await show(checkout, properties);
      await until('the methods', () => rootOf(widget).querySelector('[part=continue]'));
      await stepsLoaded(widget);
      assert.deepEqual([requested, widget.state.status], [[], 'choosing']);
    });

  it('waits until the page is visible', async () => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: true });
    const [widget, requested] = await show(withFirstOptions(1), { autoContinue: true });
    await until('the methods', () => rootOf(widget).querySelector('[part=continue]'));
    await stepsLoaded(widget);
    assert.deepEqual(requested, []);
    Reflect.deleteProperty(document, 'hidden');
    document.dispatchEvent(new Event('visibilitychange'));
    await until('the requisites', () => rootOf(widget).querySelector('[part=requisites]'));
    assert.deepEqual(requested, ['pm_sbp']);
  });
});

/** A backend that counts the requests for an invoice. */
class CountingBackend extends Backend {
  creates = 0;

  override createInvoice(): ReturnType<Backend['createInvoice']> {
    this.creates += 1;
    return super.createInvoice();
  }
}

describe('auto-continue where the widget does not stay in its place', () => {
  const requisites = (widget: Element | null | undefined): Promise<Element> =>
    until('the requisites', () => widget?.shadowRoot?.querySelector('[part=requisites]'));

  it('requests nothing again when the widget is moved in the document, or another one is mounted in its place', async () => {
    const transport = new CountingBackend(withFirstOptions(1));
    const widget = document.createElement('pay-invoice');
    Object.assign(widget, { lang: 'en', transport, autoContinue: true });
    document.body.append(widget);
    await requisites(widget);
    widget.remove();
    document.body.append(widget);
    await requisites(widget);
    widget.remove();
    const other = document.createElement('pay-invoice');
    Object.assign(other, { lang: 'en', transport, autoContinue: true });
    document.body.append(other);
    await requisites(other);
    button(other, /^Another payment method$/).click();
    await until('the methods', () => rootOf(other).querySelector('[part=continue]'));
    await other.updateComplete;
    other.remove();
    assert.equal(transport.creates, 1);
  });

  it('requests an invoice inside the dialog, and none when the dialog is opened again', async () => {
    const transport = new CountingBackend(withFirstOptions(1));
    for (let time = 0; time < 2; time += 1) {
      const controller = new AbortController();
      const { signal } = controller;
      const outcome = openCheckout({ checkout: 'chk_gallery', lang: 'en', transport, autoContinue: true, signal });
      const host = await until('the dialog', () =>
        [...document.body.children].find(({ shadowRoot }) => shadowRoot?.querySelector('dialog')),
      );
      await requisites(rootOf(host).querySelector('pay-invoice'));
      controller.abort();
      assert.equal((await outcome).status, 'pending');
    }
    assert.equal(transport.creates, 1);
  });
});

describe('return-after', () => {
  const texts = (widget: Element): string[] => all(widget, '[part=actions] :is(p, a, button)').map(textOf);

  it('shows and announces the seconds left, and the payer can stop the countdown', async () => {
    const widget = await mount(new Backend(pending(sbp)), 'en');
    widget.setAttribute('return-after', '600');
    widget.initial = { ...ended('paid'), server_time: '2026-11-20T10:05:00.000Z' };
    await until('the countdown', () => texts(widget).some((text) => /^Back to the shop in \d+ s\.$/.test(text)));
    assert.match(textOf(rootOf(widget).querySelector('[role=status]')), /^Back to the shop in \d+ s\.$/);
    button(widget, /^Stay here$/).click();
    await widget.updateComplete;
    assert.deepEqual(texts(widget), ['Back to the shop', 'Print or save as PDF']);
  });

  it('counts inside the dialog, and the payer who closes it stays', async () => {
    const controller = new AbortController();
    const transport = new Backend(ended('paid'));
    const { signal } = controller;
    const outcome = openCheckout({ checkout: 'chk_gallery', lang: 'en', transport, returnAfter: 600, signal });
    const widget = await until(
      'the widget',
      () => [...document.body.children].flatMap(({ shadowRoot }) => shadowRoot?.querySelector('pay-invoice') ?? [])[0],
    );
    await until('the countdown', () => texts(widget).some((text) => /^Back to the shop in \d+ s\.$/.test(text)));
    controller.abort();
    assert.equal((await outcome).status, 'paid');
    assert.isFalse(widget.isConnected);
  });

  it('shows nothing where it is not set', async () => {
    const widget = await mount(new Backend(ended('paid')), 'en');
    await until('paid', () => rootOf(widget).querySelector('[part=outcome]'));
    assert.deepEqual(texts(widget), ['Back to the shop', 'Print or save as PDF']);
  });

  const host: ReactiveControllerHost = {
    addController: () => undefined,
    removeController: () => undefined,
    requestUpdate: () => undefined,
    updateComplete: Promise.resolve(true),
  };

  function start(isVisible = () => true): { clock: FakeClock; countdown: ReturnCountdown; visitedUrls: string[] } {
    const clock = new FakeClock();
    const visitedUrls: string[] = [];
    const countdown = new ReturnCountdown(host, {
      clock,
      url: () => 'https://shop.example/thanks',
      seconds: () => 3,
      isVisible,
      announce: () => undefined,
      go: (url) => visitedUrls.push(url),
    });
    countdown.hostUpdate();
    return { clock, countdown, visitedUrls };
  }

  it('goes to the success URL once the seconds are over, and only once', () => {
    const { clock, countdown, visitedUrls } = start();
    assert.equal(countdown.secondsLeft, 3);
    clock.tick(2000);
    assert.deepEqual([countdown.secondsLeft, visitedUrls], [1, []]);
    clock.tick(1000);
    countdown.hostUpdate();
    clock.tick(10_000);
    assert.deepEqual([countdown.secondsLeft, visitedUrls], [undefined, ['https://shop.example/thanks']]);
  });

  it('does not count while the page is hidden, where the payer could not stop it', () => {
    let isVisible = false;
    const { clock, countdown, visitedUrls } = start(() => isVisible);
    clock.tick(10_000);
    assert.deepEqual([countdown.secondsLeft, visitedUrls], [3, []]);
    isVisible = true;
    clock.tick(3000);
    assert.deepEqual(visitedUrls, ['https://shop.example/thanks']);
  });

  it('goes nowhere after the payer has stopped it, or the widget has left the page', () => {
    for (const end of ['stop', 'hostDisconnected'] as const) {
      const { clock, countdown, visitedUrls } = start();
      countdown[end]();
      countdown.hostUpdate();
      clock.tick(10_000);
      assert.deepEqual(visitedUrls, []);
    }
  });

  it('continues from the same second when the widget is moved in the document, unless the payer has stopped it', () => {
    for (const isStopped of [false, true]) {
      const { clock, countdown, visitedUrls } = start();
      clock.tick(1000);
      if (isStopped) countdown.stop();
      countdown.hostDisconnected();
      countdown.hostConnected();
      countdown.hostUpdate();
      clock.tick(1000);
      assert.deepEqual([countdown.secondsLeft, visitedUrls], [isStopped ? undefined : 1, []]);
      clock.tick(1000);
      assert.deepEqual(visitedUrls, isStopped ? [] : ['https://shop.example/thanks']);
    }
  });
});
