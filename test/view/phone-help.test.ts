import { assert } from '@open-wc/testing';
import { links, pending, sbp } from '../../demo/gallery-checkouts.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import { openInBrowserUrl } from '../../src/view/phone-help/phone-help.ts';
import { Backend } from './changeable-backend.ts';
import { all, button, find, mount, mountState, nextEvent, rootOf, setPhone, textOf, until } from './render-widget.ts';

const agents = {
  telegram:
    'Mozilla/5.0 (Linux; Android 14; K) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36 Telegram-Android/11.2.3',
  vk: 'Mozilla/5.0 (Linux; Android 13; wv) AppleWebKit/537.36 Version/4.0 Chrome/130.0 Mobile Safari/537.36 VKAndroidApp/8.1',
  instagram:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Instagram 340.0',
  chrome: 'Mozilla/5.0 (Linux; Android 14; K) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36',
  safari:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148 Safari/604.1',
} as const;

/** Replaces a property of the browser until the end of the test. */
const undo: (() => void)[] = [];
function stub(target: object, name: string, value: unknown): void {
  const own = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { configurable: true, writable: true, value });
  undo.push(() => {
    Reflect.deleteProperty(target, name);
    if (own) Object.defineProperty(target, name, own);
  });
}
const stubAgent = (name: keyof typeof agents): void => stub(navigator, 'userAgent', agents[name]);

const preventNavigation = (event: Event): void => event.preventDefault();
beforeEach(() => addEventListener('click', preventNavigation));
afterEach(() => {
  for (const restore of undo.splice(0)) restore();
  removeEventListener('click', preventNavigation);
  setPhone(false);
});

async function mountQr(): Promise<PayInvoiceElement> {
  const widget = await mountState('qr', 'en');
  await until('the QR', () => rootOf(widget).querySelector('[part=qr]'));
  return widget;
}

/** Collects the names of files that are downloaded, and the addresses that are released. */
function watchDownloads(): { readonly files: string[]; readonly released: string[] } {
  const files: string[] = [];
  const released: string[] = [];
  stub(HTMLAnchorElement.prototype, 'click', function (this: HTMLAnchorElement) {
    files.push(this.download);
  });
  stub(URL, 'revokeObjectURL', (url: string) => released.push(url));
  return { files, released };
}
describe('saving the QR', () => {
  it('offers a PNG file to the device’s share menu', async () => {
    const { files } = watchDownloads();
    const shared: File[] = [];
    stub(navigator, 'canShare', () => true);
    stub(navigator, 'share', ({ files: [file] }: { files: File[] }) => Promise.resolve(file && shared.push(file)));
    button(await mountQr(), /^Save/).click();
    const file = await until('the file', () => shared[0]);
    assert.deepEqual([file.name, file.type, files], ['inv_7Q2MZK4D.png', 'image/png', []]);
  });

  it('does nothing more when the payer closes the share menu', async () => {
    const { files } = watchDownloads();
    const shareCalls: string[] = [];
    stub(navigator, 'canShare', () => true);
    stub(navigator, 'share', () => {
      shareCalls.push('share');
      return Promise.reject(new DOMException('closed', 'AbortError'));
    });
    const widget = await mountQr();
    button(widget, /^Save/).click();
    await until('the menu', () => shareCalls.length > 0);
    await new Promise((resolve) => setTimeout(resolve));
    assert.deepEqual([files, rootOf(widget).querySelector('img')], [[], null]);
  });

  it('downloads the file where there is no share menu, and does not release its address at once', async () => {
    const { files, released } = watchDownloads();
    stub(navigator, 'canShare', () => false);
    button(await mountQr(), /^Save/).click();
    await until('the download', () => files.length > 0);
    await new Promise((resolve) => setTimeout(resolve));
    assert.deepEqual([files, released], [['inv_7Q2MZK4D.png'], []]);
  });

  it('replaces the QR by an image for a long press in a browser inside an app, which ignores downloads', async () => {
    const { files } = watchDownloads();
    stubAgent('telegram');
    stub(navigator, 'canShare', () => false);
    const widget = await mountQr();
    const { width } = find(widget, '[part=qr]', SVGSVGElement).getBoundingClientRect();
    button(widget, /^Save/).click();
    const picture = await until('the picture', () => rootOf(widget).querySelector('img'));
    await picture.decode();
    assert.match(picture.src, /^data:image\/png/);
    assert.equal(picture.alt, 'QR code to pay');
    assert.equal(picture.getBoundingClientRect().width, width);
    assert.include(textOf(rootOf(widget).querySelector('.qr')), 'Press and hold');
    // The widget has one live region.
    await until('the announcement', () =>
      textOf(rootOf(widget).querySelector('[role=status]')).startsWith('Press and hold'),
    );
    assert.lengthOf(rootOf(widget).querySelectorAll('[role=status]'), 1);
    assert.deepEqual(files, []);
  });

  it('keeps the QR and suggests a screenshot where the page’s policy blocks images', async () => {
    stubAgent('instagram');
    stub(navigator, 'canShare', () => false);
    stub(HTMLImageElement.prototype, 'decode', () => Promise.reject(new DOMException('blocked', 'EncodingError')));
    const widget = await mountQr();
    button(widget, /^Save/).click();
    await until('the hint', () => textOf(rootOf(widget).querySelector('.qr')).includes('take a screenshot'));
    assert.equal(rootOf(widget).querySelector('img'), null);
    assert.ok(rootOf(widget).querySelector('svg[part=qr]'));
  });

  it('keeps the hint how to save the QR away from the border around it on a phone', async () => {
    stubAgent('telegram');
    stub(navigator, 'canShare', () => false);
    setPhone(true);
    const widget = await mountQr();
    find(widget, 'details', HTMLDetailsElement).open = true;
    button(widget, /^Save/).click();
    const hint = await until('the hint', () => rootOf(widget).querySelector('.qr button + p'));
    const text = document.createRange();
    text.selectNodeContents(hint);
    const [inner, outer] = [text.getBoundingClientRect(), find(widget, 'details', HTMLElement).getBoundingClientRect()];
    assert.isAtLeast(Math.min(inner.left - outer.left, outer.right - inner.right, outer.bottom - inner.bottom), 8);
  });
});

describe('a link to a bank’s app that does nothing', () => {
  /** An element on a phone whose link was clicked and opened nothing. */
  async function clickIgnoredLink(phoneUrl: string): Promise<PayInvoiceElement> {
    setPhone(true);
    const widget = await mount(new Backend(pending(links)), 'en');
    widget.phoneUrl = phoneUrl;
    const shown = nextEvent(widget, 'pay-invoice-action');
    (await until('the link', () => rootOf(widget).querySelector<HTMLElement>('[part=qr-link]'))).click();
    assert.equal((await shown).action, 'link_open');
    assert.equal((await nextEvent(widget, 'pay-invoice-action')).action, 'help_shown');
    await widget.updateComplete;
    return widget;
  }
  const names = (widget: Element): string[] => all(widget, '.note :is(a, button)').map(textOf);

  it('is followed by help with that link', async () => {
    const widget = await clickIgnoredLink('');
    assert.deepEqual(names(widget), ['Copy the link']);
  });

  it('is followed by help with the page’s own link and the way to a browser inside an Android app', async () => {
    stubAgent('telegram');
    const widget = await clickIgnoredLink('/order#1001');
    assert.deepEqual(names(widget), ['Copy the link', 'Copy this page’s link', 'Open in your browser']);
    const { host } = location;
    assert.equal(
      find(widget, '.note a', HTMLAnchorElement).getAttribute('href'),
      `intent://${host}/order#1001#Intent;scheme=http;action=android.intent.action.VIEW;end`,
    );
    const copied: string[] = [];
    stub(navigator, 'clipboard', { writeText: (text: string) => Promise.resolve(copied.push(text)) });
    const action = nextEvent(widget, 'pay-invoice-action');
    button(widget, /page’s link/).click();
    assert.equal((await action).action, 'link_copy');
    assert.deepEqual(copied, [`http://${host}/order#1001`]);
  });

  it('is not assumed for the link to a payment page, which may load slowly', async () => {
    setPhone(true);
    const widget = await mount(new Backend(pending({ ...sbp, payment_url: links.payment_url })), 'en');
    const delays: (number | undefined)[] = [];
    const real = window.setTimeout.bind(window);
    const page = await until('the link', () =>
      rootOf(widget).querySelector<HTMLElement>(`a[href="${links.payment_url}"]`),
    );
    stub(window, 'setTimeout', (work: () => void, ms?: number) => {
      delays.push(ms);
      return real(work, ms);
    });
    page.click();
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
    it(`is ${url ?? 'absent'} in ${agent} for a phone-url of ${phoneUrl ?? 'nothing'}`, () => {
      stubAgent(agent);
      assert.equal(openInBrowserUrl(page, phoneUrl), url);
    });
});
