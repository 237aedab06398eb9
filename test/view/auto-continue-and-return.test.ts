import { assert } from '@open-wc/testing';
import type { ReactiveControllerHost } from 'lit';
import { makeEndedCheckout, checkoutWithoutInvoice, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { openCheckout } from '../../src/dialog.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import { ReturnCountdown } from '../../src/view/controllers/return-countdown.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { Backend } from './changeable-backend.ts';
import { findAll, findButton, mount, rootOf, textOf, until } from './widget-from-source.ts';

const checkoutWithOptions = (count: number): Checkout => ({
  ...checkoutWithoutInvoice,
  options: checkoutWithoutInvoice.options.slice(0, count),
});

/** A checkout whose only method has only banks that are unavailable. */
const checkoutWithoutBanks: Checkout = {
  ...checkoutWithoutInvoice,
  options: checkoutWithOptions(1).options.map((option) => ({
    ...option,
    banks: option.banks.map((bank) => ({ ...bank, available: false })),
  })),
};

describe('auto-continue', () => {
  async function mountWidget(
    checkout: Checkout,
    properties: Partial<PayInvoiceElement>,
  ): Promise<[PayInvoiceElement, Backend]> {
    const transport = new Backend(checkout);
    const widget = document.createElement('pay-invoice');
    Object.assign(widget, { lang: 'en', transport, ...properties });
    document.body.append(widget);
    await until('the checkout', () => 'checkout' in widget.state);
    await widget.updateComplete;
    return [widget, transport];
  }

  /** The ids of the methods for which the widget has requested an invoice. */
  const requestedMethods = ({ creates }: Backend): string[] => creates.map((request) => request.payment_method_id);

  afterEach(() => document.querySelectorAll('body > pay-invoice').forEach((widget) => widget.remove()));

  it('requests an invoice without a click where only one method can be used, and no second one when the payer goes back', async () => {
    const [widget, backend] = await mountWidget(checkoutWithOptions(1), { autoContinue: true });
    await until('the requisites', () => rootOf(widget).querySelector('[part=requisites]'));
    findButton(widget, /^Another payment method$/).click();
    await until('the methods', () => rootOf(widget).querySelector('[part=continue]'));
    await widget.updateComplete;
    assert.deepEqual(requestedMethods(backend), ['pm_sbp']);
  });

  it('requests an invoice for the method whose type the page has set in `method`, also among several methods', async () => {
    const [widget, backend] = await mountWidget(checkoutWithOptions(2), {
      autoContinue: true,
      method: 'card',
    });
    await until('the requisites', () => rootOf(widget).querySelector('[part=requisites]'));
    assert.deepEqual(requestedMethods(backend), ['pm_card']);
  });

  /** Renders the widget a few times. */
  async function renderAgain(widget: PayInvoiceElement): Promise<void> {
    for (let turn = 0; turn < 5; turn++) {
      widget.requestUpdate();
      await widget.updateComplete;
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  for (const [condition, checkout, properties] of [
    ['the attribute is not set', checkoutWithOptions(1), {}],
    ['several methods can be used', checkoutWithOptions(2), { autoContinue: true }],
    ['the payer types the amount', { ...checkoutWithOptions(1), amount: null }, { autoContinue: true }],
    ['the method in `method` cannot be used', checkoutWithOptions(3), { autoContinue: true, method: 'BANK_TRANSFER' }],
    ['the banks of the only method are all unavailable', checkoutWithoutBanks, { autoContinue: true }],
    [
      'the banks of the method in `method` are all unavailable',
      checkoutWithoutBanks,
      { autoContinue: true, method: 'SBP' },
    ],
  ] as const)
    it(`requests no invoice where ${condition}`, async () => {
      const [widget, backend] = await mountWidget(checkout, properties);
      await until('the methods', () => rootOf(widget).querySelector('[part=continue]'));
      await renderAgain(widget);
      assert.deepEqual([requestedMethods(backend), widget.state.status], [[], 'choosing']);
    });

  it('requests the invoice only once the page is visible', async () => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: true });
    const [widget, backend] = await mountWidget(checkoutWithOptions(1), { autoContinue: true });
    await until('the methods', () => rootOf(widget).querySelector('[part=continue]'));
    await renderAgain(widget);
    assert.deepEqual(requestedMethods(backend), []);
    Reflect.deleteProperty(document, 'hidden');
    document.dispatchEvent(new Event('visibilitychange'));
    await until('the requisites', () => rootOf(widget).querySelector('[part=requisites]'));
    assert.deepEqual(requestedMethods(backend), ['pm_sbp']);
  });
});

describe('auto-continue of a widget that is moved, replaced or opened a second time', () => {
  const waitForRequisites = (widget: Element | null | undefined): Promise<Element> =>
    until('the requisites', () => widget?.shadowRoot?.querySelector('[part=requisites]'));

  it('requests no second invoice when the widget is moved in the document, or when another widget is mounted in its place', async () => {
    const transport = new Backend(checkoutWithOptions(1));
    const widget = document.createElement('pay-invoice');
    Object.assign(widget, { lang: 'en', transport, autoContinue: true });
    document.body.append(widget);
    await waitForRequisites(widget);
    widget.remove();
    document.body.append(widget);
    await waitForRequisites(widget);
    widget.remove();
    const secondWidget = document.createElement('pay-invoice');
    Object.assign(secondWidget, { lang: 'en', transport, autoContinue: true });
    document.body.append(secondWidget);
    await waitForRequisites(secondWidget);
    findButton(secondWidget, /^Another payment method$/).click();
    await until('the methods', () => rootOf(secondWidget).querySelector('[part=continue]'));
    await secondWidget.updateComplete;
    secondWidget.remove();
    assert.equal(transport.creates.length, 1);
  });

  it('requests one invoice inside the dialog, and none when the dialog is opened a second time', async () => {
    const transport = new Backend(checkoutWithOptions(1));
    for (let round = 0; round < 2; round += 1) {
      const controller = new AbortController();
      const { signal } = controller;
      const outcome = openCheckout({ checkout: 'chk_gallery', lang: 'en', transport, autoContinue: true, signal });
      const dialogHost = await until('the dialog', () =>
        [...document.body.children].find(({ shadowRoot }) => shadowRoot?.querySelector('dialog')),
      );
      await waitForRequisites(dialogHost.querySelector('pay-invoice'));
      controller.abort();
      assert.equal((await outcome).status, 'pending');
    }
    assert.equal(transport.creates.length, 1);
  });
});

describe('return-after', () => {
  const actionTexts = (widget: Element): string[] => findAll(widget, '[part=actions] :is(p, a, button)').map(textOf);

  it('shows and announces the seconds left, and the payer can stop the countdown', async () => {
    const widget = await mount(new Backend(makePendingCheckout(sbp)), 'en');
    widget.setAttribute('return-after', '600');
    widget.initial = { ...makeEndedCheckout('paid'), server_time: '2026-11-20T10:05:00.000Z' };
    await until('the countdown', () => actionTexts(widget).some((text) => /^Back to the shop \(\d+\)$/.test(text)));
    assert.match(
      textOf(rootOf(widget).querySelector('[role=status]')),
      /^Payment received\. ₽1,500 paid\. Back to the shop in 600 seconds\.$/,
    );
    findButton(widget, /^Stay here$/).click();
    await widget.updateComplete;
    assert.deepEqual(actionTexts(widget), ['Back to the shop']);
  });

  it('counts down inside the dialog, and a payer who closes the dialog stays on the page', async () => {
    const controller = new AbortController();
    const transport = new Backend(makeEndedCheckout('paid'));
    const { signal } = controller;
    const outcome = openCheckout({ checkout: 'chk_gallery', lang: 'en', transport, returnAfter: 600, signal });
    const widget = await until('the widget', () => document.querySelector('.pay-invoice-dialog > pay-invoice'));
    await until('the countdown', () => actionTexts(widget).some((text) => /^Back to the shop \(\d+\)$/.test(text)));
    controller.abort();
    assert.equal((await outcome).status, 'paid');
    assert.isFalse(widget.isConnected);
  });

  const fakeHost: ReactiveControllerHost = {
    addController: () => undefined,
    removeController: () => undefined,
    requestUpdate: () => undefined,
    updateComplete: Promise.resolve(true),
  };

  function startCountdown(isVisible = () => true): {
    clock: FakeClock;
    countdown: ReturnCountdown;
    visitedUrls: string[];
  } {
    const clock = new FakeClock();
    const visitedUrls: string[] = [];
    const countdown = new ReturnCountdown(fakeHost, {
      clock,
      url: () => 'https://shop.example/thanks',
      seconds: () => 3,
      isVisible,
      go: (url) => visitedUrls.push(url),
    });
    countdown.hostUpdate();
    return { clock, countdown, visitedUrls };
  }

  it('opens the success URL exactly once, when the seconds are over', () => {
    const { clock, countdown, visitedUrls } = startCountdown();
    assert.equal(countdown.secondsLeft, 3);
    clock.tick(2000);
    assert.deepEqual([countdown.secondsLeft, visitedUrls], [1, []]);
    clock.tick(1000);
    countdown.hostUpdate();
    clock.tick(10_000);
    assert.deepEqual([countdown.secondsLeft, visitedUrls], [undefined, ['https://shop.example/thanks']]);
  });

  it('does not count down while the page is hidden, because the payer could not stop the countdown', () => {
    let isVisible = false;
    const { clock, countdown, visitedUrls } = startCountdown(() => isVisible);
    clock.tick(10_000);
    assert.deepEqual([countdown.secondsLeft, visitedUrls], [3, []]);
    isVisible = true;
    clock.tick(3000);
    assert.deepEqual(visitedUrls, ['https://shop.example/thanks']);
  });

  it('opens no URL after the payer has stopped the countdown or the widget was removed', () => {
    for (const stopMethod of ['stop', 'hostDisconnected'] as const) {
      const { clock, countdown, visitedUrls } = startCountdown();
      countdown[stopMethod]();
      countdown.hostUpdate();
      clock.tick(10_000);
      assert.deepEqual(visitedUrls, []);
    }
  });

  it('continues from the same second when the widget is moved in the document, unless the payer has stopped it', () => {
    for (const isStopped of [false, true]) {
      const { clock, countdown, visitedUrls } = startCountdown();
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
