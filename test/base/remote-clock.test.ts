import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createRemoteClock } from '../../src/base/remote-clock.ts';

const hour = 3_600_000;
const epoch = Date.UTC(2026, 10, 20, 10);

/** A remote clock that is `remote.ahead` ms ahead of the local one, and the estimate of it that is tested. */
function createTestClock(unconfirmedStepMs?: number) {
  const local = { now: 1000 };
  const clock = createRemoteClock(() => local.now, unconfirmedStepMs);
  const remote = { ahead: epoch };
  /** The remote machine reads its clock `sendMs` after the request was sent, and the answer arrives `receiveMs` later. */
  const exchange = (sendMs: number, receiveMs: number, precisionMs = 1): void => {
    const sentAt = local.now;
    const time = Math.floor((sentAt + sendMs + remote.ahead) / precisionMs) * precisionMs;
    local.now = sentAt + sendMs + receiveMs;
    clock.observe(time, sentAt, precisionMs);
  };
  const errorMs = (): number => (clock.now() ?? NaN) - (local.now + remote.ahead);
  return { clock, local, remote, exchange, errorMs };
}

suite('the clock of another machine', () => {
  test('is not known before the first answer', () => assert.equal(createTestClock().clock.now(), undefined));

  for (const [name, sendMs, receiveMs] of [
    ['an answer without delay', 0, 0],
    ['a request as slow as its answer', 50, 50],
    ['a slow request', 400, 0],
    ['a slow answer', 0, 400],
  ] as const)
    test(`is known to half of the round trip after ${name}`, () => {
      const { exchange, errorMs } = createTestClock();
      exchange(sendMs, receiveMs);
      assert.ok(Math.abs(errorMs()) <= (sendMs + receiveMs + 1) / 2, `it is wrong by ${errorMs()} ms`);
    });

  test('advances with the local clock between two answers', () => {
    const { clock, local, exchange } = createTestClock();
    exchange(10, 10);
    const before = clock.now() ?? NaN;
    local.now += hour;
    assert.equal(clock.now(), before + hour);
  });

  test('is not made worse by a slow answer that agrees with it', () => {
    const { exchange, errorMs } = createTestClock();
    exchange(1, 1);
    const before = errorMs();
    exchange(0, 5000);
    assert.equal(errorMs(), before);
  });

  test('is made exact by a quick answer after a slow one', () => {
    const { exchange, errorMs } = createTestClock();
    exchange(0, 5000);
    assert.ok(Math.abs(errorMs()) > 1000);
    exchange(1, 1);
    assert.ok(Math.abs(errorMs()) <= 3, `it is wrong by ${errorMs()} ms`);
  });

  test('becomes more exact than the precision of its answers', () => {
    const { local, exchange, errorMs } = createTestClock();
    for (let answers = 0; answers < 40; answers += 1) {
      exchange(0, 0, 1000);
      local.now += 4970;
    }
    assert.ok(Math.abs(errorMs()) <= 30, `it is wrong by ${errorMs()} ms`);
  });

  for (const [name, stepMs] of [
    ['an hour back', -hour],
    ['an hour forward', hour],
    ['ten years forward', 87_600 * hour],
  ] as const)
    test(`follows it at the next answer when it is set ${name}`, () => {
      const { remote, exchange, errorMs } = createTestClock();
      exchange(10, 10);
      remote.ahead += stepMs;
      exchange(10, 10);
      assert.ok(Math.abs(errorMs()) <= 21, `it is wrong by ${errorMs()} ms`);
    });

  test('is right again at the next right answer after a single wrong one', () => {
    const { clock, local, exchange, errorMs } = createTestClock();
    exchange(10, 10);
    clock.observe(0, local.now, 1000);
    assert.ok(Math.abs(errorMs()) > hour);
    exchange(10, 10);
    assert.ok(Math.abs(errorMs()) <= 21, `it is wrong by ${errorMs()} ms`);
  });

  test('ignores a single wrong answer where steps have to be confirmed', () => {
    const { clock, local, exchange, errorMs } = createTestClock(30_000);
    exchange(10, 10);
    exchange(10, 10);
    for (const wrong of [0, epoch * 2]) {
      clock.observe(wrong, local.now, 1000);
      assert.ok(Math.abs(errorMs()) <= 21, `it is wrong by ${errorMs()} ms`);
      exchange(10, 10);
    }
  });

  for (const stepMs of [-hour, -20_000, 20_000, hour])
    test(`follows a step of ${stepMs} ms after two answers at most where steps have to be confirmed`, () => {
      const { remote, exchange, errorMs } = createTestClock(30_000);
      exchange(10, 10);
      exchange(10, 10);
      remote.ahead += stepMs;
      exchange(10, 10);
      exchange(0, 900);
      assert.ok(Math.abs(errorMs()) <= 1000, `it is wrong by ${errorMs()} ms`);
    });

  test('corrects a wrong first answer by the next one, also where steps have to be confirmed', () => {
    const { clock, local, exchange, errorMs } = createTestClock(30_000);
    clock.observe(0, local.now, 1000);
    exchange(10, 10);
    assert.ok(Math.abs(errorMs()) <= 21, `it is wrong by ${errorMs()} ms`);
  });
});
