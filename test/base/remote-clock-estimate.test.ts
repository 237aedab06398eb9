import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createRemoteClock } from '../../src/base/remote-clock-estimate.ts';

const hour = 3_600_000;
const epoch = Date.UTC(2026, 10, 20, 10);

/** Creates a remote clock that is `remote.aheadMs` ahead of the local clock, and the estimate of it that is tested. */
function createTestClock(unconfirmedStepMs?: number) {
  const local = { now: 1000 };
  const clock = createRemoteClock(() => local.now, unconfirmedStepMs);
  const remote = { aheadMs: epoch };
  /** The remote machine reads its clock `sendMs` after the request was sent. The response arrives `receiveMs` later. */
  const exchange = (sendMs: number, receiveMs: number, precisionMs = 1): void => {
    const sentAt = local.now;
    const time = Math.floor((sentAt + sendMs + remote.aheadMs) / precisionMs) * precisionMs;
    local.now = sentAt + sendMs + receiveMs;
    clock.observe(time, sentAt, precisionMs);
  };
  const errorMs = (): number => (clock.now() ?? NaN) - (local.now + remote.aheadMs);
  return { clock, local, remote, exchange, errorMs };
}

suite('the estimate of a remote clock', () => {
  test('is undefined before the first response', () => assert.equal(createTestClock().clock.now(), undefined));

  for (const [name, sendMs, receiveMs] of [
    ['a request and a response of 50 ms each', 50, 50],
    ['a request of 400 ms', 400, 0],
    ['a response of 400 ms', 0, 400],
  ] as const)
    test(`is wrong by at most half of the round trip after ${name}`, () => {
      const { exchange, errorMs } = createTestClock();
      exchange(sendMs, receiveMs);
      assert.ok(Math.abs(errorMs()) <= (sendMs + receiveMs + 1) / 2, `it is wrong by ${errorMs()} ms`);
    });

  test('does not change after a slow response that agrees with it', () => {
    const { exchange, errorMs } = createTestClock();
    exchange(1, 1);
    const errorBefore = errorMs();
    exchange(0, 5000);
    assert.equal(errorMs(), errorBefore);
  });

  test('becomes exact when a fast response follows a slow response', () => {
    const { exchange, errorMs } = createTestClock();
    exchange(0, 5000);
    assert.ok(Math.abs(errorMs()) > 1000);
    exchange(1, 1);
    assert.ok(Math.abs(errorMs()) <= 3, `it is wrong by ${errorMs()} ms`);
  });

  test('becomes more exact than the precision of the times in the responses', () => {
    const { local, exchange, errorMs } = createTestClock();
    for (let responses = 0; responses < 40; responses += 1) {
      exchange(0, 0, 1000);
      local.now += 4970;
    }
    assert.ok(Math.abs(errorMs()) <= 30, `it is wrong by ${errorMs()} ms`);
  });

  for (const [name, stepMs] of [
    ['an hour back', -hour],
    ['ten years forward', 87_600 * hour],
  ] as const)
    test(`is right after the next response when the remote clock was set ${name}`, () => {
      const { remote, exchange, errorMs } = createTestClock();
      exchange(10, 10);
      remote.aheadMs += stepMs;
      exchange(10, 10);
      assert.ok(Math.abs(errorMs()) <= 21, `it is wrong by ${errorMs()} ms`);
    });

  test('does not change after a single wrong response when steps have to be confirmed', () => {
    const { clock, local, exchange, errorMs } = createTestClock(30_000);
    exchange(10, 10);
    exchange(10, 10);
    for (const wrongTime of [0, epoch * 2]) {
      clock.observe(wrongTime, local.now, 1000);
      assert.ok(Math.abs(errorMs()) <= 21, `it is wrong by ${errorMs()} ms`);
      exchange(10, 10);
    }
  });

  for (const stepMs of [-hour, -20_000, 20_000, hour])
    test(`follows a step of ${stepMs} ms within two responses when steps have to be confirmed`, () => {
      const { remote, exchange, errorMs } = createTestClock(30_000);
      exchange(10, 10);
      exchange(10, 10);
      remote.aheadMs += stepMs;
      exchange(10, 10);
      exchange(0, 900);
      assert.ok(Math.abs(errorMs()) <= 1000, `it is wrong by ${errorMs()} ms`);
    });

  test('is right after the second response when the first response was wrong and steps have to be confirmed', () => {
    const { clock, local, exchange, errorMs } = createTestClock(30_000);
    clock.observe(0, local.now, 1000);
    exchange(10, 10);
    assert.ok(Math.abs(errorMs()) <= 21, `it is wrong by ${errorMs()} ms`);
  });
});
