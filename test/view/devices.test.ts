import { assert, expect } from '@open-wc/testing';
import { executeServerCommand } from '@web/test-runner-commands';
import { links, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { transportOf } from '../../demo/gallery-states.ts';
import { loadQrEncoder } from '../../src/view/controllers/encoded-qr.ts';
import { drawQr } from '../../src/base/qr-modules.ts';
import { encodeQr } from '../../src/base/qr-encoder.ts';
import {
  find,
  findAll,
  mount,
  mountState,
  nextEvent,
  rootOf,
  setPhone,
  stateNamed,
  textOf,
  until,
} from './widget-from-source.ts';
import { scan } from './scan-canvas.ts';
import { findPhoneButton, watchQr } from './watch-qr.ts';

/** Sets the size of the page. The main pointer becomes a finger where the page is as narrow as a phone. */
async function setViewport(size: { readonly width: number; readonly height: number }): Promise<void> {
  await executeServerCommand('viewport', size);
  setPhone(size.width < 480);
}

/** The links, buttons and QR in reading order, each as its part's name or its text. */
const namesInReadingOrder = (widget: Element): string[] =>
  findAll(widget, '.screen :is(a, button, [part=qr])').map((one) => one.getAttribute('part') ?? textOf(one));

afterEach(() => setViewport({ width: 800, height: 600 }));

describe('the QR', () => {
  it('comes first on a desktop; on a phone it follows the link and is folded, because it is for another device', async () => {
    await setViewport({ width: 1024, height: 700 });
    const desktop = await mountState('qr');
    await until('the QR', () => rootOf(desktop).querySelector('[part=qr]'));
    assert.equal(namesInReadingOrder(desktop)[0], 'qr');
    await setViewport({ width: 375, height: 700 });
    await until('the other order', () => namesInReadingOrder(desktop)[0] === 'qr-link');
    const summary = find(desktop, 'details > summary', HTMLElement);
    assert.equal(textOf(summary), 'Показать QR-код');
    const qr = find(desktop, '[part=qr]', HTMLElement);
    assert.isFalse(qr.checkVisibility());
    summary.click();
    assert.isTrue(qr.checkVisibility());
  });

  it('has three steps beside it where the widget is wide, and none where it is narrow or on a phone', async () => {
    const readSteps = async (width: number, isPhone: boolean): Promise<string[]> => {
      await setViewport({ width, height: 700 });
      setPhone(isPhone);
      const widget = await mountState('qr');
      await until('the status', () => rootOf(widget).querySelector('.status'));
      return findAll(widget, 'ol li')
        .filter((step) => step.checkVisibility())
        .map(textOf);
    };
    const steps = ['Откройте приложение банка или камеру', 'Отсканируйте QR-код', 'Подтвердите оплату'];
    assert.deepEqual(await readSteps(1024, false), steps);
    assert.deepEqual(await readSteps(600, false), []);
    assert.deepEqual(await readSteps(1024, true), []);
  });

  it('is reported on a phone by one qr-shown event, when the payer unfolds it for the first time', async () => {
    await setViewport({ width: 375, height: 700 });
    const widgetOnPhone = await mountState('qr');
    let qrShownEvents = 0;
    widgetOnPhone.addEventListener('pay-invoice-qr-shown', () => (qrShownEvents += 1));
    await until('the QR', () => rootOf(widgetOnPhone).querySelector('[part=qr]'));
    widgetOnPhone.requestUpdate();
    await widgetOnPhone.updateComplete;
    assert.equal(qrShownEvents, 0);
    const summary = find(widgetOnPhone, 'details > summary', HTMLElement);
    summary.click();
    await until('the event', () => qrShownEvents === 1);
    const details = find(widgetOnPhone, 'details', HTMLDetailsElement);
    for (const open of [false, true]) {
      summary.click();
      await until('the next toggle', () => details.open === open);
      await new Promise((resolve) => setTimeout(resolve));
      await widgetOnPhone.updateComplete;
    }
    assert.equal(qrShownEvents, 1);
  });

  it('comes first in a narrow frame on a desktop', async () => {
    await executeServerCommand('viewport', { width: 375, height: 700 });
    const widget = await mountState('qr');
    await until('the QR', () => rootOf(widget).querySelector('[part=qr]'));
    assert.equal(namesInReadingOrder(widget)[0], 'qr');
  });

  for (const { kind, width, requisites } of [
    { kind: 'after the link on a phone', width: 375, requisites: { ...sbp, ...links } },
    { kind: 'before the link on a desktop', width: 1024, requisites: { ...sbp, ...links } },
    { kind: 'on request on a desktop', width: 1024, requisites: { ...sbp, payment_url: links.payment_url } },
  ])
    it(`is drawn in the first render once its encoder is loaded, so that nothing moves: shown ${kind}`, async () => {
      await loadQrEncoder();
      await setViewport({ width, height: 700 });
      const widget = await mount(transportOf(stateNamed('loading')));
      const renders = watchQr(widget);
      widget.initial = makePendingCheckout(requisites);
      await until('the requisites', () => rootOf(widget).querySelector('[part=requisites]'));
      findPhoneButton(widget)?.click();
      await until('the QR', () => renders.at(-1)?.isDrawn);
      assert.isTrue(renders[0]?.isDrawn);
      assert.lengthOf(new Set(renders.map(({ height }) => height)), 1);
    });

  for (const [name, qr] of Object.entries({
    'whose size is no QR code’s': { size: 20, modules: 'AAAA' },
    'whose modules are cut off': { ...encodeQr(links.nspk_url), modules: 'AAAA' },
    'whose modules are not base64': { ...encodeQr(links.nspk_url), modules: '*' },
  }))
    it(`is drawn from the link, and the merchant is told, where the answer has a code ${name}`, async () => {
      await setViewport({ width: 1024, height: 700 });
      const widget = await mount(transportOf(stateNamed('loading')));
      const errorEvent = nextEvent(widget, 'pay-invoice-error');
      widget.initial = makePendingCheckout({ ...links, qr });
      const { error } = await errorEvent;
      assert.deepEqual([error.code, error.field], ['malformed', 'invoice.qr']);
      const canvas = await until('the QR', () => rootOf(widget).querySelector('canvas'));
      assert.equal(scan(canvas), links.nspk_url);
    });

  it('keeps the screen of a phone on while it is unfolded', async () => {
    const { wakeLock } = navigator;
    const requests: string[] = [];
    let released = 0;
    const request = (type: string): Promise<{ release: () => void }> => {
      requests.push(type);
      return Promise.resolve({ release: () => (released += 1) });
    };
    Object.defineProperty(navigator, 'wakeLock', { configurable: true, value: { request } });
    await setViewport({ width: 375, height: 700 });
    const widget = await mountState('qr');
    await until('the QR', () => rootOf(widget).querySelector('[part=qr]'));
    assert.deepEqual(requests, []);
    const summary = find(widget, 'details > summary', HTMLElement);
    summary.click();
    await until('the lock', () => requests.length === 1);
    summary.click();
    await until('the release', () => released === 1);
    summary.click();
    await until('another lock', () => requests.length === 2);
    widget.remove();
    await until('another release', () => released === 2);
    Object.defineProperty(navigator, 'wakeLock', { configurable: true, value: wakeLock });
  });

  it('leaves no empty space when it cannot be drawn: the link stays, and an error event is dispatched', async () => {
    await setViewport({ width: 1024, height: 700 });
    const widget = await mount(transportOf(stateNamed('loading')));
    const errorEvent = nextEvent(widget, 'pay-invoice-error');
    widget.initial = makePendingCheckout({ ...sbp, nspk_url: `https://qr.nspk.ru/${'x'.repeat(3000)}` });
    assert.equal((await errorEvent).error.code, 'qr_failed');
    assert.lengthOf(findAll(widget, '.qr'), 0);
    assert.equal(namesInReadingOrder(widget)[0], 'qr-link');
    assert.notInclude(textOf(rootOf(widget).querySelector('h3')), 'QR');
  });

  for (const { kind, requisites } of [
    { kind: 'a payment page', requisites: { ...sbp, payment_url: `https://pay.example/${'x'.repeat(3000)}` } },
    { kind: 'a bank', requisites: { ...links, nspk_url: `https://qr.nspk.ru/${'x'.repeat(3000)}` } },
  ])
    it(`can be requested again after it could not be drawn: for a link to ${kind}`, async () => {
      await setViewport({ width: 1024, height: 700 });
      const widget = await mount(transportOf(stateNamed('loading')));
      widget.initial = makePendingCheckout(requisites);
      for (let round = 0; round < 2; round += 1) {
        const phoneButton = await until('the button', () => findPhoneButton(widget));
        const errorEvent = nextEvent(widget, 'pay-invoice-error');
        phoneButton.click();
        assert.equal((await errorEvent).error.code, 'qr_failed');
      }
      await until('the button again', () => findPhoneButton(widget));
    });

  it('is an image with a name, dark on white with a quiet zone of four modules, and at least 240 px wide', async () => {
    for (const theme of ['light', 'dark'] as const) {
      const widget = await mountState('qr', 'en', theme);
      widget.style.inlineSize = '320px';
      const qr = await until('the QR', () => rootOf(widget).querySelector('canvas'));
      assert.equal(qr.getAttribute('role'), 'img');
      assert.equal(qr.getAttribute('aria-label'), 'QR code to pay');
      assert.equal(scan(qr), links.nspk_url);
      const pixels = qr.getContext('2d')?.getImageData(0, 0, qr.width, qr.height).data ?? [];
      const redAt = (column: number, row: number): number | undefined =>
        pixels[4 * (row * qr.width + column) * (qr.width / 49)];
      assert.deepEqual([redAt(3, 3), redAt(4, 4), redAt(44, 4), redAt(45, 4)], [255, 0, 0, 255]);
      assert.isAtLeast(qr.getBoundingClientRect().width, 240);
    }
  });

  it('is an SVG where the browser gives no canvas', async () => {
    const prototype = HTMLCanvasElement.prototype;
    const descriptor = Object.getOwnPropertyDescriptor(prototype, 'getContext') ?? {};
    Object.defineProperty(prototype, 'getContext', { ...descriptor, value: () => null });
    try {
      const widget = await mountState('qr', 'en');
      const path = await until('the QR', () => rootOf(widget).querySelector('svg[part=qr] path'));
      assert.equal(path.getAttribute('d'), drawQr(encodeQr(links.nspk_url))?.path);
    } finally {
      Object.defineProperty(prototype, 'getContext', descriptor);
    }
  });

  it('has a link to the same address beside it, which mentions an app only where an app can open', async () => {
    const linkText = async (width: number): Promise<string> => {
      await setViewport({ width, height: 700 });
      return textOf(find(await mountState('qr', 'en'), '[part=qr-link]', HTMLElement));
    };
    assert.deepEqual(
      [await linkText(375), await linkText(1024)],
      ['Open your bank’s app', 'Pay on your bank’s site, opens in a new tab'],
    );
    await setViewport({ width: 800, height: 600 });
    const widget = await mountState('qr');
    const link = find(widget, '[part=qr-link]', HTMLAnchorElement);
    assert.match(link.href, /^https:\/\/qr\.nspk\.ru\//);
    assert.equal(link.rel, 'noopener noreferrer');
  });

  it('of the page’s own address is shown on request where the requisites have no link, except on a phone', async () => {
    await setViewport({ width: 1024, height: 700 });
    const widget = await mountState('sbp', 'en');
    assert.equal(findPhoneButton(widget), undefined);
    widget.phoneUrl = '/order#1001';
    await widget.updateComplete;
    await setViewport({ width: 375, height: 700 });
    await until('the phone’s screen', () => findPhoneButton(widget) === undefined);
    await setViewport({ width: 1024, height: 700 });
    (await until('the desktop’s screen', () => findPhoneButton(widget))).click();
    const qr = await until('the QR', () => rootOf(widget).querySelector('canvas'));
    assert.equal(scan(qr), new URL('/order#1001', location.href).href);
    expect(textOf(rootOf(widget).querySelector('.screen'))).to.contain('to pay there');
  });

  it('is not offered for an unsafe phone-url, and an error event is dispatched', async () => {
    await setViewport({ width: 1024, height: 700 });
    for (const address of ['javascript:alert(1)', 'http://elsewhere.example/', 'https://user@shop.example/']) {
      const widget = await mountState('sbp', 'en');
      const errorEvent = nextEvent(widget, 'pay-invoice-error');
      widget.phoneUrl = address;
      const { error } = await errorEvent;
      assert.deepEqual([error.code, error.field], ['unsafe_link', 'phone-url']);
      expect(textOf(rootOf(widget).querySelector('.screen'))).not.to.contain('your phone');
    }
  });
});

describe('a phone without a link', () => {
  it('shows no empty space where a desktop offers to continue on another device', async () => {
    await setViewport({ width: 375, height: 700 });
    const widget = await mountState('phone');
    assert.isUndefined(findPhoneButton(widget));
    assert.deepEqual(
      findAll(widget, '.screen > *').filter((one) => one.getClientRects().length > 0 && one.clientHeight === 0),
      [],
    );
  });
});
