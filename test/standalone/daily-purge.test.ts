import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDailyPurge } from '../../src/standalone/start-server.ts';
import { FakeClock } from '../support/fake-clock.ts';

const dayMs = 24 * 3_600_000;
const firstAfterMs = 10 * 60_000;

function start(purge: () => Promise<number> = () => Promise.resolve(0)) {
  const clock = new FakeClock();
  const ages: number[] = [];
  const logged: unknown[] = [];
  const stop = startDailyPurge({
    checkouts: {
      purge({ olderThan }) {
        ages.push(clock.now() - Number(olderThan));
        return purge();
      },
    },
    afterDays: 180,
    log: (...line) => void logged.push(line),
    clock,
  });
  return { clock, ages, logged, stop };
}

test('deletes checkouts of the configured age ten minutes after the start, and every day after that', async () => {
  const { clock, ages, stop } = start();
  await clock.advance(firstAfterMs - 1);
  assert.deepEqual(ages, []);
  await clock.advance(1);
  assert.deepEqual(ages, [180 * dayMs]);
  await clock.advance(3 * dayMs);
  assert.equal(ages.length, 4);
  stop();
  await clock.advance(3 * dayMs);
  assert.equal(ages.length, 4);
});

test('logs a failure without its message, and tries again the next day', async () => {
  const { clock, ages, logged } = start(() => Promise.reject(new RangeError('chk_secret')));
  await clock.advance(firstAfterMs + dayMs);
  assert.equal(ages.length, 2);
  assert.deepEqual(logged[0], ['error', 'purge_failed', { error: 'RangeError' }]);
});
