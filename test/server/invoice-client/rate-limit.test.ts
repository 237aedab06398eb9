import fc from 'fast-check';
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Clock } from '../../../src/base/clock.ts';
import { createRateLimiter } from '../../../src/server/invoice-client/failure-and-rate-limit.ts';
import { createdInvoice, hang, json, scriptedClient } from '../../support/scripted-service-client.ts';
import { holds } from '../../support/property-tests.ts';
import { AutoAdvancingClock } from '../../support/auto-advancing-clock.ts';
import { assertSameTime } from '../../support/fake-clock.ts';

suite('a rate limiter', () => {
  test('never allows more requests in a second than its limit', async () => {
    const waits = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 15, maxLength: 40 });
    await holds(
      fc.asyncProperty(waits, fc.integer({ min: 1, max: 12 }), async (gaps, perSecond) => {
        const clock = new AutoAdvancingClock();
        const limiter = createRateLimiter(clock, perSecond);
        const sentAt: number[] = [];
        const calls: Promise<void>[] = [];
        for (const gap of gaps) {
          if (gap > 200) await clock.value(clock.sleep(gap - 200));
          calls.push(limiter.acquire(Infinity).then(() => void sentAt.push(clock.now())));
        }
        await clock.value(Promise.all(calls));
        assert.equal(sentAt.length, gaps.length);
        for (const [index, at] of sentAt.entries())
          assert.ok(at - (sentAt[index - perSecond] ?? -Infinity) >= 1_000, `${perSecond} a second: ${sentAt.join()}`);
      }),
      20,
    );
  });
  test('gives the place of a request that is aborted while it waits to the next one', async () => {
    const clock = new AutoAdvancingClock();
    const limiter = createRateLimiter(clock, 1);
    await limiter.acquire(0);
    const controller = new AbortController();
    const aborted = limiter.acquire(Infinity, controller.signal);
    const next = limiter.acquire(Infinity);
    const start = clock.now();
    controller.abort();
    assert.equal(await aborted, false);
    assert.equal(await clock.value(next), true);
    assertSameTime(clock.now() - start, 1_100);
  });
  test('refuses a request that would wait longer than its caller allows, and does not count that request', async () => {
    const clock = new AutoAdvancingClock();
    const limiter = createRateLimiter(clock, 2);
    const results = await Promise.all([0, 0, 0, 500].map((maxWaitMs) => limiter.acquire(maxWaitMs)));
    assert.deepEqual(results, [true, true, false, false]);
    assertSameTime(limiter.waitMs(), 1_100);
    await clock.value(clock.sleep(1_101));
    assert.deepEqual(await Promise.all([limiter.acquire(0), limiter.acquire(0)]), [true, true]);
  });
  test('allows no request during a pause, not even a request that was waiting before', async () => {
    const clock = new AutoAdvancingClock();
    const limiter = createRateLimiter(clock, 1);
    const start = clock.now();
    await limiter.acquire(0);
    const waitingRequest = limiter.acquire(60_000);
    limiter.pause(30_000);
    assert.equal(await limiter.acquire(20_000), false);
    assert.equal(await clock.value(waitingRequest), true);
    assertSameTime(clock.now() - start, 30_000);
  });
  test('gives each waiting request one place after a pause, also when timers fire early and the clock moves between two reads', async () => {
    const clock = new AutoAdvancingClock();
    let reads = 0;
    const earlyClock: Clock = {
      now: () => clock.now() + (reads += 1) * 1e-4,
      schedule: (ms, task) => clock.schedule(ms - 1.4, task),
    };
    const limiter = createRateLimiter(earlyClock, 10);
    const start = clock.now();
    assert.equal(await limiter.acquire(0), true);
    limiter.pause(1_000);
    const sentAt: number[] = [];
    const calls = Array.from({ length: 20 }, () =>
      limiter.acquire(10_000).then(() => void sentAt.push(Math.round((clock.now() - start) / 100) * 100)),
    );
    await clock.value(Promise.all(calls));
    assert.deepEqual(sentAt, [...Array<number>(9).fill(1_000), 1_100, ...Array<number>(9).fill(2_100), 2_200]);
  });
  test('refuses a waiting request at once when a pause is longer than its caller waits, and gives its place to the next', async () => {
    const clock = new AutoAdvancingClock();
    const limiter = createRateLimiter(clock, 1);
    const start = clock.now();
    await limiter.acquire(0);
    const impatient = limiter.acquire(5_000);
    const patient = limiter.acquire(60_000);
    limiter.pause(30_000);
    assert.equal(await impatient, false);
    assert.equal(await clock.value(patient), true);
    assertSameTime(clock.now() - start, 30_000);
  });
});

suite('the client', () => {
  test('sends at most 10 requests for options, 60 for invoices and 50 for creates in a second, each limit for itself', async () => {
    const { service, sentRequests, clock } = scriptedClient([json(200, createdInvoice)]);
    const calls = Array.from({ length: 300 }, () => [
      service.fetchPaymentOptions(undefined),
      service.fetchInvoices(['inv_1']),
      service.createInvoice({ amount: '1500.00', mode: 'TEST', external_id: 'att_1' }),
    ]);
    const allCalls = Promise.allSettled(calls.flat());
    await clock.value(clock.sleep(999));
    const countOf = (operation: string): number =>
      sentRequests.filter(({ url }) => url.endsWith(`/${operation}`)).length;
    assert.deepEqual(['FetchPaymentOptions', 'FetchInvoices', 'CreateInvoice'].map(countOf), [10, 60, 50]);
    await clock.value(allCalls);
  });
  test('fails a fetch of options beyond the limit without a wait and without a line in the log', async () => {
    const { service, sentRequests, log, failureOf } = scriptedClient([json(200, {})]);
    await Promise.all(Array.from({ length: 10 }, () => service.fetchPaymentOptions('1')));
    const { failure, code, httpStatus, retryAfterMs } = await failureOf(service.fetchPaymentOptions('2'));
    assert.deepEqual([failure, code, httpStatus, retryAfterMs], ['unavailable', 'resource_exhausted', 0, 1_100]);
    assert.deepEqual([sentRequests.length, log.length], [10, 0]);
  });
  test('reports a create that cannot be sent before its deadline as unavailable, because the service has certainly not processed it', async () => {
    const { service, sentRequests, failureOf } = scriptedClient([hang], { requestsPerSecond: { CreateInvoice: 1 } });
    const create = () => service.createInvoice({ amount: '1500.00', mode: 'TEST', external_id: 'att_1' });
    const calls = Array.from({ length: 30 }, create);
    for (const call of calls) void call.catch(() => undefined);
    assert.equal((await failureOf(calls[29] ?? create())).failure, 'unavailable');
    assert.ok(sentRequests.length < 30);
  });
  for (const operation of ['CreateInvoice', 'FetchInvoices'] as const)
    for (const status of [429, 503])
      test(`sends no ${operation} until the Retry-After of a ${status} is over, and the other operations as before`, async () => {
        const { service, sentRequests, clock } = scriptedClient([
          json(status, '', { 'retry-after': '30' }),
          json(200, createdInvoice),
        ]);
        const calls = {
          CreateInvoice: () => service.createInvoice({ amount: '1500.00', mode: 'TEST', external_id: 'att_1' }),
          FetchPaymentOptions: () => service.fetchPaymentOptions(undefined),
          FetchInvoices: () => service.fetchInvoices(['inv_1']),
        };
        const start = clock.now();
        await clock.settle<unknown>(calls[operation]());
        for (let second = 0; second < 35; second += 1) {
          for (const call of Object.values(calls)) await clock.settle<unknown>(call());
          await clock.value(clock.sleep(1_000));
        }
        const sentAt = (name: string): number[] =>
          sentRequests.flatMap(({ at, url }) => (url.endsWith(`/${name}`) ? at - start : []));
        assertSameTime(sentAt(operation)[0] ?? Infinity, 0);
        assert.ok((sentAt(operation)[1] ?? 0) > 29_999, sentAt(operation).slice(0, 3).join());
        for (const otherOperation of ['CreateInvoice', 'FetchPaymentOptions', 'FetchInvoices'])
          if (otherOperation !== operation)
            assert.ok(sentAt(otherOperation).filter((at) => at < 30_000).length > 0, otherOperation);
      });
});

test('a call that is canceled while it waits for the rate limit is not sent', async () => {
  const { service, sentRequests, failureOf } = scriptedClient([json(200, { invoices: [] })], {
    requestsPerSecond: { FetchInvoices: 1 },
  });
  await service.fetchInvoices(['inv_1']);
  const controller = new AbortController();
  const call = service.fetchInvoices(['inv_2'], controller.signal);
  controller.abort();
  const error = await failureOf(call);
  assert.deepEqual([error.code, error.failure], ['canceled', 'unavailable']);
  assert.match(error.message, /canceled/);
  assert.doesNotMatch(error.message, /rate_limited/);
  assert.equal(sentRequests.length, 1);
});
