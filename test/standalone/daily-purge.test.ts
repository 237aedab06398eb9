import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDailyPurge } from '../../src/standalone/start-server.ts';
import { assertSameTime, FakeClock } from '../support/fake-clock.ts';

const dayMs = 24 * 3_600_000;
const firstPurgeDelayMs = 10 * 60_000;

function startPurge(purge: () => Promise<number> = () => Promise.resolve(0)) {
  const clock = new FakeClock();
  const ages: number[] = [];
  const logLines: unknown[] = [];
  const stop = startDailyPurge({
    checkouts: {
      purge({ olderThan }) {
        ages.push(clock.now() - Number(olderThan));
        return purge();
      },
    },
    afterDays: 180,
    log: (...line) => void logLines.push(line),
    clock,
  });
  return { clock, ages, logLines, stop };
}

test('the purge deletes checkouts of the configured age ten minutes after the start, and then every day until it is stopped', async () => {
  const { clock, ages, stop } = startPurge();
  await clock.advance(firstPurgeDelayMs - 1);
  assert.equal(ages.length, 0);
  await clock.advance(1);
  assert.equal(ages.length, 1);
  assertSameTime(ages[0] ?? NaN, 180 * dayMs);
  await clock.advance(3 * dayMs);
  assert.equal(ages.length, 4);
  stop();
  await clock.advance(3 * dayMs);
  assert.equal(ages.length, 4);
});

test('a purge that fails is logged without the message of its error, and runs again the next day', async () => {
  const { clock, ages, logLines } = startPurge(() => Promise.reject(new RangeError('chk_secret')));
  await clock.advance(firstPurgeDelayMs + dayMs);
  assert.equal(ages.length, 2);
  assert.deepEqual(logLines[0], ['error', 'purge_failed', { error: 'RangeError' }]);
});
