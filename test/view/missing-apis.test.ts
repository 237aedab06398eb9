import { assert } from '@open-wc/testing';
import { browserPorts } from '../../src/client.ts';
import { importChunk } from '../../src/base/import-chunk.ts';
import { open } from '../../demo/gallery-checkouts.ts';
import { PayInvoiceElement } from '../../src/element.ts';
import { button, find, mountState, rootOf, textOf, until } from './render-widget.ts';

const insecure = (): never => {
  throw new DOMException('The operation is insecure.', 'SecurityError');
};

/** Replaces a property of the browser while `run` runs. */
async function replacing(owner: object, name: string, as: PropertyDescriptor, run: () => Promise<void>): Promise<void> {
  const own = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { configurable: true, ...as });
  try {
    await run();
  } finally {
    if (own) Object.defineProperty(owner, name, own);
    else Reflect.deleteProperty(owner, name);
  }
}

describe('a browser in which something optional is missing or throws', () => {
  const cases: readonly (readonly [what: string, owner: object, name: string, as: PropertyDescriptor])[] = [
    ['no BroadcastChannel', window, 'BroadcastChannel', { value: undefined }],
    ['a BroadcastChannel that throws', window, 'BroadcastChannel', { value: insecure }],
    ['no locks', navigator, 'locks', { value: undefined }],
    ['locks that cannot be read', navigator, 'locks', { get: insecure }],
    ['locks that throw', navigator, 'locks', { value: { request: insecure } }],
  ];
  for (const [what, owner, name, as] of cases)
    it(`gets the first and the later answers: ${what}`, async () => {
      let answers = 0;
      const answer = (): Promise<Response> => {
        answers += 1;
        return Promise.resolve(new Response(JSON.stringify(open), { headers: { ETag: `"${answers}"` } }));
      };
      await replacing(window, 'fetch', { value: answer }, () =>
        replacing(owner, name, as, async () => {
          const { transport } = browserPorts({ endpoint: '/checkout', checkout: 'chk' });
          const { signal } = new AbortController();
          for (const request of [{}, { etag: '"1"' }, { etag: '"2"', waitSeconds: 25 }])
            assert.equal((await transport.read(request, signal)).kind, 'checkout');
        }),
      );
      assert.equal(answers, 3);
    });

  for (const [what, as] of Object.entries({
    'no storage': { value: undefined },
    'storage that cannot be read': { get: insecure },
    'storage that throws': { value: { getItem: insecure, setItem: insecure, removeItem: insecure } },
  }))
    it(`shows the QR code and the requisites: ${what}`, () =>
      replacing(window, 'sessionStorage', as, async () => {
        const widget = await mountState('qr-sbp', 'en');
        await until('the QR', () => rootOf(widget).querySelector('[part=qr]'));
        assert.isNotNull(rootOf(widget).querySelector('[part=requisite]'));
      }));

  for (const [what, as] of Object.entries({
    'no clipboard': { value: undefined },
    'a clipboard that cannot be read': { get: insecure },
    'a clipboard that throws': { value: { writeText: insecure } },
  }))
    it(`reports that a value could not be copied, and selects it: ${what}`, async () => {
      const widget = await mountState('sbp', 'en');
      await replacing(navigator, 'clipboard', as, async () => {
        button(widget, /^Copy Phone number$/).click();
        const note = await until('the note', () => rootOf(widget).querySelector('.failed'));
        assert.include(textOf(note), 'Could not copy');
        assert.equal(getSelection()?.toString().replace(/\s/g, ''), '+79001234567');
      });
    });
});

describe('a chunk that failed to load', () => {
  const load = (url: string) => (): Promise<{ value: number }> => import(/* @vite-ignore */ url);

  it('is fetched again under another URL', async () => {
    const url = `/fails-once/${Date.now()}.js`;
    assert.equal((await importChunk(load(url))).value, 1);
  });

  // Firefox and WebKit forget that a module failed.
  const sameUrl = navigator.userAgent.includes('Chrome/') ? { 'the same URL is fetched again': true } : {};
  for (const [what, isRepeated] of Object.entries({ 'nothing is fetched again': false, ...sameUrl }))
    it(`a defect is found: ${what}`, async () => {
      const chunk = load(`/fails-once/${Date.now()}-${what.length}.js`);
      const error = await chunk()
        .catch((thrown: unknown) => (isRepeated ? chunk() : Promise.reject(thrown as Error)))
        .catch((thrown: unknown) => thrown);
      assert.instanceOf(error, TypeError);
    });

  it('is not fetched without its integrity hash where the page has an import map with such hashes', async () => {
    const map = document.createElement('script');
    map.type = 'importmap';
    map.textContent = '{"integrity":{"/another.js":"sha384-"}}';
    document.head.append(map);
    const error = await importChunk(load(`/fails-once/${Date.now()}-map.js`)).catch((thrown: unknown) => thrown);
    map.remove();
    assert.instanceOf(error, TypeError);
  });
});

describe('a browser without light-dark() and color-mix()', () => {
  /** The widget in a browser that reads these styles. */
  const mountWith = async (theme: 'light' | 'dark', change: (styles: string) => string): Promise<Element> => {
    const widget = await mountState('options', 'en', theme);
    rootOf(widget).adoptedStyleSheets = PayInvoiceElement.styles.map(({ cssText }) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(change(cssText).replace(/(light-dark|color-mix)\(/g, 'no-$1('));
      return sheet;
    });
    return widget;
  };

  const checkColours = (widget: Element): void => {
    const look = (selector: string): CSSStyleDeclaration => getComputedStyle(find(widget, selector, Element));
    const brightness = (colour: string): number =>
      (colour.match(/[\d.]+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
    const difference = (a: string, b: string): number => Math.abs(brightness(a) - brightness(b));
    assert.isAbove(difference(look('[part=base]').backgroundColor, look('[part=amount]').color), 400);
    assert.isAbove(difference(look('[part=continue]').backgroundColor, look('[part=continue]').color), 150);
    assert.notEqual(look('[part=continue]').backgroundColor, look('[part=base]').backgroundColor);
    assert.equal(look('[part=base]').borderTopStyle, 'solid');
  };

  for (const theme of ['light', 'dark'] as const) {
    it(`shows colours of the system that can be read: ${theme}`, async () =>
      checkColours(await mountWith(theme, (styles) => styles)));

    it(`a defect is found: there are no other colours, ${theme}`, async () => {
      const widget = await mountWith(theme, (styles) =>
        styles.replaceAll(/@supports not/g, '@supports no-such-condition'),
      );
      assert.throws(() => checkColours(widget), Error);
    });
  }
});
