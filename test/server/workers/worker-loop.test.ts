import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../../src/base/clock.ts';
import { createWorkerLoop } from '../../../src/server/workers/worker-loop.ts';
import { fixedRandom } from '../../support/fixed-random.ts';

test('a round that a request has woken, and those after it, are not in the context of the request, and so not in its trace', async () => {
  const storage = new AsyncLocalStorage<string>();
  const contexts: unknown[] = [];
  const ports = { clock: systemClock, log: () => undefined, random: fixedRandom(0) };
  const loop = createWorkerLoop(ports, 'loop', () => {
    contexts.push(storage.getStore());
    return Promise.resolve(contexts.length === 1 ? 60_000 : 0);
  });
  const reach = async (count: number): Promise<void> => {
    while (contexts.length < count) await nextTurn();
  };
  loop.start();
  await reach(1);
  await nextTurn(); // the loop pauses
  storage.run('request', () => loop.wake());
  await reach(3);
  await loop.stop();
  assert.deepEqual(contexts.slice(0, 3), [undefined, undefined, undefined]);
});
