import fc from 'fast-check';
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createRateLimiter } from '../../../src/server/invoice-client/operation-rate-limit.ts';
import { createdInvoice, hang, json, scriptedClient } from '../../support/scripted-service-client.ts';
import { holds } from '../../support/properties.ts';
import { AutoAdvancingClock } from '../../support/auto-advancing-clock.ts';

suite('a rate limiter', () => {
  test('never lets more requests through in a second than it is set to', async () => {
    const waits = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 15, maxLength: 40 });
    await holds(
      fc.asyncProperty(waits, fc.integer({ min: 1, max: 12 }), async (gaps, perSecond) => {
        const time = new AutoAdvancingClock();
        const limiter = createRateLimiter(time, perSecond);
        const sentAt: number[] = [];
        const calls: Promise<void>[] = [];
        for (const gap of gaps) {
          if (gap > 200) await time.value(time.sleep(gap - 200));
          calls.push(limiter.acquire(Infinity).then(() => void sentAt.push(time.now())));
        }
        await time.value(Promise.all(calls));
        assert.equal(sentAt.length, gaps.length);
        for (const [index, at] of sentAt.entries())
          assert.ok(at - (sentAt[index - perSecond] ?? -Infinity) >= 1_000, `${perSecond} a second: ${sentAt.join()}`);
      }),
      20,
    );
  });
  test('refuses a request that would wait longer than its caller allows, and does not count it', async () => {
    const time = new AutoAdvancingClock();
    const limiter = createRateLimiter(time, 2);
    const acquired = await Promise.all([0, 0, 0, 500].map((maxWaitMs) => limiter.acquire(maxWaitMs)));
    assert.deepEqual(acquired, [true, true, false, false]);
    assert.equal(limiter.waitMs(), 1_100);
    await time.value(time.sleep(1_100));
    assert.deepEqual(await Promise.all([limiter.acquire(0), limiter.acquire(0)]), [true, true]);
  });
  test('lets no request overtake one that waits', async () => {
    const time = new AutoAdvancingClock();
    const limiter = createRateLimiter(time, 1);
    await limiter.acquire(0);
    const waiting = limiter.acquire(5_000);
    assert.equal(await limiter.acquire(0), false);
    assert.equal(await time.value(waiting), true);
  });
  test('lets no request through during a pause, not even one that was already waiting', async () => {
    const time = new AutoAdvancingClock();
    const limiter = createRateLimiter(time, 1);
    const start = time.now();
    await limiter.acquire(0);
    const waiting = limiter.acquire(60_000);
    limiter.pause(30_000);
    assert.equal(await limiter.acquire(20_000), false);
    assert.equal(await time.value(waiting), true);
    assert.equal(time.now() - start, 30_000);
  });
  test('stops waiting when the caller aborts', async () => {
    const time = new AutoAdvancingClock();
    const limiter = createRateLimiter(time, 1);
    await limiter.acquire(0);
    const caller = new AbortController();
    const waiting = limiter.acquire(60_000, caller.signal);
    caller.abort();
    assert.equal(await waiting, false);
    assert.equal(time.pending, 0);
  });
});

suite('the client', () => {
  test('sends at most 10 requests for options, 60 for invoices and 50 for creates in a second, independently', async () => {
    const { service, sent, time } = scriptedClient([json(200, createdInvoice)]);
    const calls = Array.from({ length: 300 }, () => [
      service.fetchPaymentOptions(undefined),
      service.fetchInvoices(['inv_1']),
      service.createInvoice({ amount: '1500.00', mode: 'TEST', external_id: 'att_1' }),
    ]);
    const done = Promise.allSettled(calls.flat());
    await time.value(time.sleep(999));
    const countOf = (operation: string): number => sent.filter(({ url }) => url.endsWith(`/${operation}`)).length;
    assert.deepEqual(['FetchPaymentOptions', 'FetchInvoices', 'CreateInvoice'].map(countOf), [10, 60, 50]);
    await time.value(done);
  });
  test('fails at once for the options of an amount beyond the limit, without a line in the log', async () => {
    const { service, sent, log, failureOf } = scriptedClient([json(200, {})]);
    await Promise.all(Array.from({ length: 10 }, () => service.fetchPaymentOptions('1')));
    const { failure, code, httpStatus, retryAfterMs } = await failureOf(service.fetchPaymentOptions('2'));
    assert.deepEqual([failure, code, httpStatus, retryAfterMs], ['unavailable', 'resource_exhausted', 0, 1_100]);
    assert.deepEqual([sent.length, log.length], [10, 0]);
  });
  test('counts repeats', async () => {
    const { service, sent, time } = scriptedClient([json(500, ''), json(200, {})], {
      requestsPerSecond: { FetchPaymentOptions: 1 },
    });
    await time.value(service.fetchPaymentOptions('1'));
    assert.equal((sent[1]?.at ?? 0) - (sent[0]?.at ?? 0), 1_100);
  });
  test('reports a create that cannot be sent before its deadline as unavailable, because it was certainly not done', async () => {
    const { service, sent, failureOf } = scriptedClient([hang], { requestsPerSecond: { CreateInvoice: 1 } });
    const create = () => service.createInvoice({ amount: '1500.00', mode: 'TEST', external_id: 'att_1' });
    const calls = Array.from({ length: 30 }, create);
    for (const call of calls) void call.catch(() => undefined);
    assert.equal((await failureOf(calls[29] ?? create())).failure, 'unavailable');
    assert.ok(sent.length < 30);
  });
  for (const operation of ['CreateInvoice', 'FetchPaymentOptions', 'FetchInvoices'] as const)
    for (const status of [429, 503])
      test(`sends no ${operation} until the Retry-After of a ${status} is over, and the other operations as before`, async () => {
        const { service, sent, time } = scriptedClient([
          json(status, '', { 'retry-after': '30' }),
          json(200, createdInvoice),
        ]);
        const calls = {
          CreateInvoice: () => service.createInvoice({ amount: '1500.00', mode: 'TEST', external_id: 'att_1' }),
          FetchPaymentOptions: () => service.fetchPaymentOptions(undefined),
          FetchInvoices: () => service.fetchInvoices(['inv_1']),
        };
        const start = time.now();
        await time.settle<unknown>(calls[operation]());
        for (let second = 0; second < 35; second += 1) {
          for (const call of Object.values(calls)) await time.settle<unknown>(call());
          await time.value(time.sleep(1_000));
        }
        const sentAt = (name: string): number[] =>
          sent.flatMap(({ at, url }) => (url.endsWith(`/${name}`) ? at - start : []));
        assert.deepEqual(sentAt(operation)[0], 0);
        assert.ok((sentAt(operation)[1] ?? 0) >= 30_000, sentAt(operation).slice(0, 3).join());
        for (const other of ['CreateInvoice', 'FetchPaymentOptions', 'FetchInvoices'])
          if (other !== operation) assert.ok(sentAt(other).filter((at) => at < 30_000).length > 0, other);
      });
  test('refuses a limit that is no whole number from 1', () => {
    for (const rate of [0, -1, 1.5, Number.NaN])
      assert.throws(
        () => scriptedClient([], { requestsPerSecond: { FetchInvoices: rate } }),
        /^TypeError: requestsPerSecond\.FetchInvoices: must be a whole number from 1$/,
      );
  });
});
