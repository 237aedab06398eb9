import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { suite, test } from 'node:test';
import { type CreateInvoiceRequest } from '../../../src/service-api.ts';
import {
  createdInvoice,
  networkError,
  hang,
  json,
  scriptedClient,
  type ScriptedResponse,
} from '../../support/scripted-service-client.ts';
import { fixedRandom } from '../../support/fixed-random.ts';
import { assertSameTime } from '../../support/fake-clock.ts';

const request: CreateInvoiceRequest = { amount: '1500.00', mode: 'TEST', external_id: 'att_1' };

/** A response whose body begins and never ends. */
const stalledBody: ScriptedResponse = () =>
  new Response(new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('{"id":')) }));
const stalledError: ScriptedResponse = () => new Response(new ReadableStream(), { status: 503 });

suite('the deadline of a call', () => {
  for (const [name, stallingResponse] of [
    ['headers that never come', hang],
    ['a body that never ends', stalledBody],
    ['the body of an error that never ends', stalledError],
  ] as const)
    test(`ends its tries when the service sends ${name}`, async () => {
      const { service, sentRequests, clock, failureOf } = scriptedClient([stallingResponse]);
      const startedAt = clock.now();
      const error = await failureOf(service.createInvoice(request));
      assert.equal(error.failure, 'ambiguous');
      assert.ok(clock.now() - startedAt <= 25_000);
      assert.ok(clock.now() - startedAt >= 24_000);
      assert.equal(sentRequests.length, 3);
      assert.equal(clock.pending, 0);
    });
  test('shortens the last try to the remaining time', async () => {
    const { service, sentRequests, clock, failureOf } = scriptedClient([hang], { random: fixedRandom(0) });
    const startedAt = clock.now();
    await failureOf(service.fetchPaymentOptions(undefined));
    assert.equal(sentRequests.length, 3);
    assertSameTime(clock.now() - startedAt, 7_500);
  });
  for (const [random, requests] of [
    [0.4, 3],
    [0.43, 2],
  ] as const)
    test(`allows ${requests === 2 ? 'no third try' : 'a third try'} when ${500 - 600 * random} ms are left after the waits`, async () => {
      const { service, sentRequests, failureOf } = scriptedClient([hang], { random: fixedRandom(random) });
      await failureOf(service.fetchPaymentOptions('1')); // 7.5 s with tries of 3.5 s
      assert.equal(sentRequests.length, requests);
    });
  test('makes a call whose tries time out fail with deadline_exceeded', async () => {
    const { service, failureOf } = scriptedClient([hang]);
    const { code, httpStatus } = await failureOf(service.fetchInvoices(['inv_1']));
    assert.deepEqual([code, httpStatus], ['deadline_exceeded', 0]);
  });
});

suite('the waits between tries', () => {
  test('double', async () => {
    const { service, sentRequests, failureOf } = scriptedClient([json(500, '')]);
    await failureOf(service.fetchPaymentOptions('1'));
    const waits = sentRequests.slice(1).map(({ at }, index) => at - (sentRequests[index]?.at ?? 0));
    assert.equal(waits.length, 2);
    for (const [index, wait] of waits.entries()) assertSameTime(wait, [100, 200][index] ?? 0);
  });

  const retryAfterCases: readonly (readonly [string, string, number])[] = [
    ['seconds', '3', 3_000],
    ['an HTTP-date', 'Fri, 20 Nov 2026 10:00:05 GMT', 5_000],
    ['seconds that are less than the wait', '0', 100],
    ['an HTTP-date in the past', 'Fri, 20 Nov 2026 09:00:00 GMT', 100],
    ['words', 'soon', 100],
  ];
  for (const [name, value, expected] of retryAfterCases)
    test(`are ${expected} ms after a Retry-After of ${name}`, async () => {
      const { service, sentRequests, clock } = scriptedClient([
        json(429, '', { 'retry-after': value }),
        json(200, createdInvoice),
      ]);
      await clock.value(service.createInvoice(request));
      assertSameTime((sentRequests[1]?.at ?? 0) - (sentRequests[0]?.at ?? 0), expected);
    });

  test('that Retry-After would extend beyond the deadline are not begun: the call fails immediately, with the Retry-After in its error', async () => {
    const { service, sentRequests, clock, failureOf } = scriptedClient([json(503, '', { 'retry-after': '30' })]);
    const startedAt = clock.now();
    const error = await failureOf(service.createInvoice(request));
    assert.deepEqual([error.retryAfterMs, sentRequests.length], [30_000, 1]);
    assertSameTime(clock.now() - startedAt, 0);
  });
});

suite('a caller who aborts', () => {
  test('before the call begins prevents the request', async () => {
    const { service, sentRequests, failureOf } = scriptedClient([json(200, createdInvoice)]);
    const error = await failureOf(service.createInvoice(request, AbortSignal.abort()));
    assert.deepEqual([error.failure, error.code, sentRequests.length], ['unavailable', 'canceled', 0]);
  });
  for (const [name, stallingResponse] of [
    ['headers', hang],
    ['a body', stalledBody],
    ['the body of an error', stalledError],
  ] as const)
    test(`while the client waits for ${name} leaves a create in doubt, makes a fetch unavailable, and leaves no timer`, async () => {
      for (const [operation, failure] of [
        ['CreateInvoice', 'ambiguous'],
        ['FetchInvoices', 'unavailable'],
      ] as const) {
        const { service, sentRequests, clock, failureOf } = scriptedClient([stallingResponse]);
        const caller = new AbortController();
        const { signal } = caller;
        void clock.sleep(1_000).then(() => caller.abort());
        const startedAt = clock.now();
        const call =
          operation === 'CreateInvoice'
            ? service.createInvoice(request, signal)
            : service.fetchInvoices(['inv_1'], signal);
        const error = await failureOf(call);
        assert.deepEqual([error.failure, error.code], [failure, 'canceled']);
        assert.deepEqual([sentRequests.length, clock.pending], [1, 0]);
        assertSameTime(clock.now() - startedAt, 1_000);
      }
    });
  test('may use one signal for all calls, because no call leaves a listener on it', async () => {
    const { signal } = new AbortController();
    for (const response of [json(200, createdInvoice), json(500, ''), networkError('ECONNRESET'), hang]) {
      const { service, clock } = scriptedClient([response]);
      await clock.settle(service.createInvoice(request, signal));
    }
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });
  test('between two tries makes the call fail with the failure of the last try', async () => {
    const { service, sentRequests, clock, failureOf } = scriptedClient([networkError('ECONNREFUSED', 'connect')]);
    const caller = new AbortController();
    void clock.sleep(50).then(() => caller.abort());
    const startedAt = clock.now();
    const error = await failureOf(service.createInvoice(request, caller.signal));
    assert.deepEqual([error.failure, error.code, sentRequests.length], ['unavailable', 'canceled', 1]);
    assert.equal(clock.now() - startedAt, 50);
  });
  test('at the end of the wait between two tries prevents the next try', async () => {
    const caller = new AbortController();
    const schedule = (ms: number, task: () => void) => {
      if (ms === 100)
        queueMicrotask(() => {
          task();
          caller.abort();
        });
      return () => undefined;
    };
    const clock = { now: () => 0, schedule };
    const { service, sentRequests, failureOf } = scriptedClient([networkError('ECONNREFUSED', 'connect')], { clock });
    const error = await failureOf(service.createInvoice(request, caller.signal));
    assert.deepEqual([error.failure, error.code, sentRequests.length], ['unavailable', 'canceled', 1]);
  });
  for (const [status, code] of [
    [400, 'invalid_argument'],
    [503, 'canceled'],
  ] as const)
    test(`after a response with ${status} gets the error ${code}`, async () => {
      const caller = new AbortController();
      const { service, failureOf } = scriptedClient([json(status, '')], { log: () => caller.abort() });
      assert.equal((await failureOf(service.createInvoice(request, caller.signal))).code, code);
    });
});
