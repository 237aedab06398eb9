import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { checkReadiness } from '../../server-example/start-shop.ts';
import { createMetricsApp } from '../../server-example/create-app.ts';
import { createPrometheusMetrics } from '../../server-example/prometheus-metrics.ts';
import { createGate, TestCheckoutServer } from '../support/test-checkout-server.ts';

const silenceMs = 10_000;
const hourMs = 3_600_000;

/** Opens a checkout server in virtual time, with functions that make its poller hang or fail and that read its readiness. */
async function openWithSwitches(t: TestContext) {
  const harness = await TestCheckoutServer.open();
  t.after(() => harness.server.stop());
  const isHealthy = () => checkReadiness(harness.server, { check: () => Promise.resolve() });
  const app = createMetricsApp(createPrometheusMetrics(), isHealthy);
  const { store } = harness;
  const claim = store.claimDueAttempts.bind(store);
  return {
    harness,
    readReadiness: async () => [harness.server.isPolling(), (await app.request('/readyz')).status],
    /** Makes the rounds of the poller hang until the returned function is called. */
    hang: () => {
      const gate = createGate();
      store.claimDueAttempts = async (...args) => {
        await gate.promise;
        return claim(...args);
      };
      return gate.open;
    },
    /** Makes every further round of the poller fail. */
    fail: () => void (store.claimDueAttempts = () => Promise.reject(new Error('disk'))),
    repair: () => void (store.claimDueAttempts = claim),
  };
}

suite('a process whose poller completes no round', () => {
  test('is ready for 10 s, then not ready, and ready again after the next round', async (t) => {
    const { harness, readReadiness, hang } = await openWithSwitches(t);
    await harness.advance(60_000);
    assert.deepEqual(await readReadiness(), [true, 200]);
    const release = hang();
    await harness.advance(silenceMs - 1000);
    assert.deepEqual(await readReadiness(), [true, 200]);
    await harness.advance(2000);
    assert.deepEqual(await readReadiness(), [false, 503]);
    await harness.advance(hourMs);
    assert.deepEqual(await readReadiness(), [false, 503]);
    release();
    await harness.advance(0);
    assert.deepEqual(await readReadiness(), [true, 200]);
  });

  test('is not ready when its rounds fail, and ready again once they succeed', async (t) => {
    const { harness, readReadiness, fail, repair } = await openWithSwitches(t);
    await harness.advance(60_000);
    fail();
    await harness.advance(silenceMs + 2000);
    assert.deepEqual(await readReadiness(), [false, 503]);
    repair();
    await harness.advance(5000);
    assert.deepEqual(await readReadiness(), [true, 200]);
  });
});

suite('a process whose poller can run', () => {
  test('is not ready before it is started', async () => {
    const harness = new TestCheckoutServer();
    assert.equal(harness.server.isPolling(), false);
    await assert.rejects(checkReadiness(harness.server, { check: () => Promise.resolve() }));
  });

  test('is not ready while the database does not answer', async (t) => {
    const { harness } = await openWithSwitches(t);
    await assert.rejects(checkReadiness(harness.server, { check: () => Promise.reject(new Error('disk')) }), /disk/);
  });

  for (const [name, stepMs] of [
    ['back', -hourMs],
    ['forward', hourMs],
  ] as const)
    test(`stays ready when the machine's clock is set an hour ${name}`, async (t) => {
      const { harness, readReadiness } = await openWithSwitches(t);
      await harness.advance(60_000);
      harness.fakeClock.setWall(harness.fakeClock.wall() + stepMs);
      assert.deepEqual(await readReadiness(), [true, 200]);
      for (let second = 0; second < 15; second += 1) {
        await harness.advance(1000);
        assert.deepEqual(await readReadiness(), [true, 200]);
      }
    });

  test('is not ready when its poller hangs after the clock was set back', async (t) => {
    const { harness, readReadiness, hang } = await openWithSwitches(t);
    await harness.advance(60_000);
    harness.fakeClock.setWall(harness.fakeClock.wall() - hourMs);
    await harness.advance(5000);
    const release = hang();
    await harness.advance(silenceMs + 1000);
    assert.deepEqual(await readReadiness(), [false, 503]);
    release();
  });
});
