import { assert } from '@open-wc/testing';
import { importChunk } from '../../src/base/import-with-retry.ts';
import { findButton, mountState, rootOf, textOf, until } from './widget-from-source.ts';

const throwSecurityError = (): never => {
  throw new DOMException('The operation is insecure.', 'SecurityError');
};

/** Replaces a property of the browser while `action` runs. */
async function withReplacedProperty(
  owner: object,
  name: string,
  replacement: PropertyDescriptor,
  action: () => Promise<void>,
): Promise<void> {
  const original = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { configurable: true, ...replacement });
  try {
    await action();
  } finally {
    if (original) Object.defineProperty(owner, name, original);
    else Reflect.deleteProperty(owner, name);
  }
}

describe('a browser in which something optional is missing or throws', () => {
  for (const [condition, replacement] of Object.entries({
    'no clipboard': { value: undefined },
    'a clipboard that cannot be read': { get: throwSecurityError },
    'a clipboard that throws': { value: { writeText: throwSecurityError } },
    'a clipboard that rejects': {
      value: { writeText: () => Promise.reject(new DOMException('no', 'NotAllowedError')) },
    },
  }))
    it(`reports that a value could not be copied, and selects it: ${condition}`, async () => {
      const widget = await mountState('sbp', 'en');
      let isDispatched = false;
      widget.addEventListener('pay-invoice-copied', () => (isDispatched = true));
      await withReplacedProperty(navigator, 'clipboard', replacement, async () => {
        findButton(widget, /^Copy Phone number$/).click();
        const note = await until('the note', () => rootOf(widget).querySelector('.failed'));
        assert.include(textOf(note), 'Could not copy');
        assert.equal(getSelection()?.toString().replace(/\s/g, ''), '+79001234567');
        assert.equal(isDispatched, false);
      });
    });
});

describe('a chunk that failed to load', () => {
  const load = (url: string) => (): Promise<{ value: number }> => import(/* @vite-ignore */ url);

  it('is fetched again under another URL', async () => {
    const url = `/fails-once/${Date.now()}.js`;
    assert.equal((await importChunk(load(url), 'value')).value, 1);
  });

  it('counts as failed when it comes without what it should export: empty, or for the loader of a bundler alone', async () => {
    const isEmpty = (thrown: unknown): boolean => String(thrown) === 'Error: a file is empty';
    for (const text of ['', '(function(){})()']) {
      const url = `data:text/javascript,${text}`;
      assert.isTrue(isEmpty(await importChunk(load(url), 'value').catch((thrown: unknown) => thrown)));
    }
    let calls = 0;
    const load503Once = async (): Promise<{ value: number }> => {
      calls += 1;
      await Promise.resolve();
      if (calls === 1) throw new Error(`Loading chunk 7 failed. (error: ${location.origin}/src/base/clock.ts)`);
      return { value: 2 };
    };
    const first = await importChunk(load503Once, 'value').catch((thrown: unknown) => thrown);
    assert.isTrue(isEmpty(first), 'another URL of a file that only the bundler reads');
    assert.equal((await importChunk(load503Once, 'value')).value, 2);
  });

  it('is not fetched without its integrity hash where the page has an import map with such hashes', async () => {
    const map = document.createElement('script');
    map.type = 'importmap';
    map.textContent = '{"integrity":{"/another.js":"sha384-"}}';
    document.head.append(map);
    const error = await importChunk(load(`/fails-once/${Date.now()}-map.js`), 'value').catch(
      (thrown: unknown) => thrown,
    );
    map.remove();
    assert.instanceOf(error, TypeError);
  });
});
