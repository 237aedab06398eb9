import { assert } from '@open-wc/testing';
import jsQR from 'jsqr';
import { links, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import { openInBrowserUrl } from '../../src/view/save-qr-and-open-in-browser.ts';
import { Backend } from './changeable-backend.ts';
import {
  find,
  findAll,
  findButton,
  mount,
  mountState,
  nextEvent,
  rootOf,
  setPhone,
  textOf,
  until,
} from './widget-from-source.ts';

const userAgents = {
  telegram:
    'Mozilla/5.0 (Linux; Android 14; K) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36 Telegram-Android/11.2.3',
  vk: 'Mozilla/5.0 (Linux; Android 13; wv) AppleWebKit/537.36 Version/4.0 Chrome/130.0 Mobile Safari/537.36 VKAndroidApp/8.1',
  instagram:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Instagram 340.0',
  chrome: 'Mozilla/5.0 (Linux; Android 14; K) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36',
  safari:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148 Safari/604.1',
} as const;

const restoreFunctions: (() => void)[] = [];

/** Replaces a property of the browser until the end of the test. */
function stub(target: object, name: string, value: unknown): void {
  const original = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { configurable: true, writable: true, value });
  restoreFunctions.push(() => {
    Reflect.deleteProperty(target, name);
    if (original) Object.defineProperty(target, name, original);
  });
}
const stubUserAgent = (name: keyof typeof userAgents): void => stub(navigator, 'userAgent', userAgents[name]);

const preventNavigation = (event: Event): void => event.preventDefault();
// Only a phone offers to save the QR: a desktop shows it on its own screen.
beforeEach(() => {
  addEventListener('click', preventNavigation);
  setPhone(true);
});
afterEach(() => {
  for (const restore of restoreFunctions.splice(0)) restore();
  removeEventListener('click', preventNavigation);
  setPhone(false);
});

async function mountQr(): Promise<PayInvoiceElement> {
  const widget = await mountState('qr', 'en');
  await until('the QR', () => rootOf(widget).querySelector('[part=qr]'));
  return widget;
}

/** Records the names of downloaded files and the object URLs that are revoked. */
function watchDownloads(): { readonly fileNames: string[]; readonly revokedUrls: string[] } {
  const fileNames: string[] = [];
  const revokedUrls: string[] = [];
  stub(HTMLAnchorElement.prototype, 'click', function (this: HTMLAnchorElement) {
    fileNames.push(this.download);
  });
  stub(URL, 'revokeObjectURL', (url: string) => revokedUrls.push(url));
  return { fileNames, revokedUrls };
}

describe('saving the QR', () => {
  it('offers a PNG file that a scanner reads to the device’s share menu', async () => {
    const { fileNames } = watchDownloads();
    const shared: File[] = [];
    stub(navigator, 'canShare', () => true);
    stub(navigator, 'share', ({ files: [file] }: { files: File[] }) => Promise.resolve(file && shared.push(file)));
    const widget = await mountQr();
    findButton(widget, /^Save/).click();
    const file = await until('the file', () => shared[0]);
    assert.deepEqual([file.name, file.type, fileNames], ['1001.png', 'image/png', []]);
    const bitmap = await createImageBitmap(file);
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context?.drawImage(bitmap, 0, 0);
    const pixels = context?.getImageData(0, 0, bitmap.width, bitmap.height).data ?? new Uint8ClampedArray();
    assert.equal(
      jsQR(pixels, bitmap.width, bitmap.height)?.data,
      find(widget, '[part=qr-link]', HTMLAnchorElement).href,
    );
  });

  it('downloads no file and shows no image when the payer closes the share menu', async () => {
    const { fileNames } = watchDownloads();
    const shareCalls: string[] = [];
    stub(navigator, 'canShare', () => true);
    stub(navigator, 'share', () => {
      shareCalls.push('share');
      return Promise.reject(new DOMException('closed', 'AbortError'));
    });
    const widget = await mountQr();
    findButton(widget, /^Save/).click();
    await until('the menu', () => shareCalls.length > 0);
    await new Promise((resolve) => setTimeout(resolve));
    assert.deepEqual([fileNames, rootOf(widget).querySelector('img')], [[], null]);
  });

  it('downloads the file where there is no share menu, and does not revoke its object URL in the next task', async () => {
    const { fileNames, revokedUrls } = watchDownloads();
    stub(navigator, 'canShare', () => false);
    findButton(await mountQr(), /^Save/).click();
    await until('the download', () => fileNames.length > 0);
    await new Promise((resolve) => setTimeout(resolve));
    assert.deepEqual([fileNames, revokedUrls], [['1001.png'], []]);
  });

  it('replaces the QR by an image for a long press in a browser inside an app, which ignores downloads', async () => {
    const { fileNames } = watchDownloads();
    stubUserAgent('telegram');
    stub(navigator, 'canShare', () => false);
    const widget = await mountQr();
    const { width } = find(widget, '[part=qr]', HTMLCanvasElement).getBoundingClientRect();
    findButton(widget, /^Save/).click();
    const image = await until('the picture', () => rootOf(widget).querySelector('img'));
    await image.decode();
    assert.match(image.src, /^data:image\/png/);
    assert.equal(image.alt, 'QR code to pay');
    assert.equal(image.getBoundingClientRect().width, width);
    assert.include(textOf(rootOf(widget).querySelector('.qr')), 'Press and hold');
    // The widget has one live region.
    await until('the announcement', () =>
      textOf(rootOf(widget).querySelector('[role=status]')).includes('Press and hold'),
    );
    assert.lengthOf(rootOf(widget).querySelectorAll('[role=status]'), 1);
    assert.deepEqual(fileNames, []);
  });

  it('keeps the QR and suggests a screenshot where the page’s policy blocks images', async () => {
    stubUserAgent('instagram');
    stub(navigator, 'canShare', () => false);
    stub(HTMLImageElement.prototype, 'decode', () => Promise.reject(new DOMException('blocked', 'EncodingError')));
    const widget = await mountQr();
    findButton(widget, /^Save/).click();
    await until('the hint', () => textOf(rootOf(widget).querySelector('.qr')).includes('take a screenshot'));
    assert.equal(rootOf(widget).querySelector('img'), null);
    assert.ok(rootOf(widget).querySelector('canvas[part=qr]'));
  });
});

describe('a link to a bank’s app that does nothing', () => {
  /** An element on a phone whose link was clicked and opened nothing. */
  async function clickIgnoredLink(phoneUrl: string): Promise<PayInvoiceElement> {
    const widget = await mount(new Backend(makePendingCheckout(links)), 'en');
    widget.phoneUrl = phoneUrl;
    const linkAction = nextEvent(widget, 'pay-invoice-action');
    (await until('the link', () => rootOf(widget).querySelector<HTMLElement>('[part=qr-link]'))).click();
    assert.equal((await linkAction).action, 'link_open');
    assert.equal((await nextEvent(widget, 'pay-invoice-action')).action, 'help_shown');
    await widget.updateComplete;
    return widget;
  }
  const labelsOfHelp = (widget: Element): string[] => findAll(widget, '.note :is(a, button)').map(textOf);

  it('is followed by a button that copies the link', async () => {
    const widget = await clickIgnoredLink('');
    assert.deepEqual(labelsOfHelp(widget), ['Copy the link']);
  });

  it('is followed in an Android app by a link that opens the page in a browser, and by a button that copies the page’s link', async () => {
    stubUserAgent('telegram');
    const widget = await clickIgnoredLink('/order#1001');
    assert.deepEqual(labelsOfHelp(widget), ['Open in your browser', 'Copy the link']);
    const { host } = location;
    assert.equal(
      find(widget, '.note a', HTMLAnchorElement).getAttribute('href'),
      `intent://${host}/order#1001#Intent;scheme=http;action=android.intent.action.VIEW;end`,
    );
    const copiedTexts: string[] = [];
    stub(navigator, 'clipboard', { writeText: (text: string) => Promise.resolve(copiedTexts.push(text)) });
    const action = nextEvent(widget, 'pay-invoice-action');
    findButton(widget, /^Copy the link$/).click();
    assert.equal((await action).action, 'link_copy');
    assert.deepEqual(copiedTexts, [`http://${host}/order#1001`]);
  });

  it('is not suspected after a click on the link to a payment page, which may load slowly', async () => {
    const widget = await mount(new Backend(makePendingCheckout({ ...sbp, payment_url: links.payment_url })), 'en');
    const delays: (number | undefined)[] = [];
    const realSetTimeout = window.setTimeout.bind(window);
    const pageLink = await until('the link', () =>
      rootOf(widget).querySelector<HTMLElement>(`a[href="${links.payment_url}"]`),
    );
    stub(window, 'setTimeout', (work: () => void, ms?: number) => {
      delays.push(ms);
      return realSetTimeout(work, ms);
    });
    pageLink.click();
    assert.deepEqual(delays, []);
  });
});

describe('the link that opens the page in a browser', () => {
  const page = 'https://shop.example/pay?order=1';
  for (const [agent, phoneUrl, url] of [
    ['vk', undefined, 'intent://shop.example/pay?order=1#Intent;scheme=https;action=android.intent.action.VIEW;end'],
    [
      'vk',
      'https://shop.example/o/1',
      'intent://shop.example/o/1#Intent;scheme=https;action=android.intent.action.VIEW;end',
    ],
    [
      'vk',
      'https://evil.example/',
      'intent://shop.example/pay?order=1#Intent;scheme=https;action=android.intent.action.VIEW;end',
    ],
    ['instagram', undefined, undefined],
    ['chrome', undefined, undefined],
    ['safari', undefined, undefined],
  ] as const)
    it(`is ${url ?? 'absent'} in ${agent} with ${phoneUrl ? `the phone-url ${phoneUrl}` : 'no phone-url'}`, () => {
      stubUserAgent(agent);
      assert.equal(openInBrowserUrl(page, phoneUrl), url);
    });
});
