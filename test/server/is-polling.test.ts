import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { createGate, TestCheckoutServer } from '../support/test-checkout-server.ts';

const silenceMs = 10_000;
const hourMs = 3_600_000;

/** Opens a checkout server in virtual time, with functions that make its poller hang or fail. */
async function openWithSwitches(t: TestContext) {
  const harness = await TestCheckoutServer.open();
  t.after(() => harness.server.stop());
  const { store } = harness;
  const nextRunAt = store.nextRunAt.bind(store);
  return {
    harness,
    /** Makes the rounds of the poller hang until the returned function is called. */
    hang: () => {
      const gate = createGate();
      store.nextRunAt = async () => {
        await gate.promise;
        return nextRunAt();
      };
      return gate.open;
    },
    /** Makes every further round of the poller fail. */
    fail: () => void (store.nextRunAt = () => Promise.reject(new Error('disk'))),
    repair: () => void (store.nextRunAt = nextRunAt),
  };
}

suite('a process whose poller completes no round', () => {
  test('is polling for 10 s, then not, and again after the next round', async (t) => {
    const { harness, hang } = await openWithSwitches(t);
    await harness.advance(60_000);
    assert.equal(harness.server.isPolling(), true);
    const release = hang();
    await harness.advance(silenceMs - 1000);
    assert.equal(harness.server.isPolling(), true);
    await harness.advance(2000);
    assert.equal(harness.server.isPolling(), false);
    await harness.advance(hourMs);
    assert.equal(harness.server.isPolling(), false);
    release();
    await harness.advance(0);
    assert.equal(harness.server.isPolling(), true);
  });

  test('is not polling when its rounds fail, and polls again once they succeed', async (t) => {
    const { harness, fail, repair } = await openWithSwitches(t);
    await harness.advance(60_000);
    fail();
    await harness.advance(silenceMs + 2000);
    assert.equal(harness.server.isPolling(), false);
    repair();
    await harness.advance(5000);
    assert.equal(harness.server.isPolling(), true);
  });
});

suite('a process whose poller can run', () => {
  test('is not polling before it is started', () => {
    const harness = new TestCheckoutServer();
    assert.equal(harness.server.isPolling(), false);
  });

  for (const [name, stepMs] of [
    ['back', -hourMs],
    ['forward', hourMs],
  ] as const)
    test(`is polling when the machine's clock is set an hour ${name}`, async (t) => {
      const { harness } = await openWithSwitches(t);
      await harness.advance(60_000);
      harness.fakeClock.setWall(harness.fakeClock.wall() + stepMs);
      assert.equal(harness.server.isPolling(), true);
      for (let second = 0; second < 15; second += 1) {
        await harness.advance(1000);
        assert.equal(harness.server.isPolling(), true);
      }
    });

  test('is not polling when its poller hangs after the clock was set back', async (t) => {
    const { harness, hang } = await openWithSwitches(t);
    await harness.advance(60_000);
    harness.fakeClock.setWall(harness.fakeClock.wall() - hourMs);
    await harness.advance(5000);
    const release = hang();
    await harness.advance(silenceMs + 1000);
    assert.equal(harness.server.isPolling(), false);
    release();
  });
});
