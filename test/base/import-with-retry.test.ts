import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { lazyChunk } from '../../src/base/import-with-retry.ts';
import { loadMessages, registerLocale } from '../../src/i18n.ts';
import { Deferred } from '../support/fake-transport.ts';

/** Advances fake timers, and lets promises settle. */
async function advance(t: TestContext, ms: number): Promise<void> {
  await turn();
  t.mock.timers.tick(ms);
  await turn();
}

/** How a promise settled so far. */
function outcomeOf(promise: Promise<unknown>): { readonly text: string } {
  const outcome = { text: 'pending' };
  promise.then(
    (value) => (outcome.text = `resolved ${JSON.stringify(value)}`),
    (error: unknown) => (outcome.text = String(error)),
  );
  return outcome;
}

describe('a file that stalls', () => {
  it('fails after 8 s, and is there for the next call once it has come', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const file = new Deferred<{ text: string }>();
    const [load, loaded] = lazyChunk(() => file.promise, 'text');
    const first = outcomeOf(load());
    await advance(t, 7999);
    assert.equal(first.text, 'pending');
    await advance(t, 1);
    assert.equal(first.text, 'Error: a file is late');
    const second = outcomeOf(load());
    file.resolve({ text: 'the file' });
    await advance(t, 0);
    assert.deepEqual([second.text, loaded()], ['resolved {"text":"the file"}', { text: 'the file' }]);
  });

  it('that a page’s loader of texts waits for fails after 8 s too', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    registerLocale('tlh', () => new Promise(() => undefined));
    const loading = outcomeOf(Promise.resolve(loadMessages('tlh')));
    await advance(t, 8000);
    assert.equal(loading.text, 'Error: a file is late');
  });
});
