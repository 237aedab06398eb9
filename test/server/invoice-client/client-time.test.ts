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
import { assertSameTime } from '../../support/fake-clock.ts';

const request: CreateInvoiceRequest = { amount: '1500.00', mode: 'TEST', external_id: 'att_1' };

/** A response whose body begins and never ends. */
const stalledBody: ScriptedResponse = () =>
  new Response(new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('{"id":')) }));

suite('the timeout of a call', () => {
  for (const [name, stallingResponse] of [
    ['headers that never come', hang],
    ['a body that never ends', stalledBody],
  ] as const)
    for (const [operation, ms, failure] of [
      ['createInvoice', 8_000, 'ambiguous'],
      ['fetchPaymentOptions', 3_500, 'unavailable'],
      ['fetchInvoices', 3_500, 'unavailable'],
    ] as const)
      test(`ends ${operation} after ${ms} ms when the service sends ${name}`, async () => {
        const { service, sentRequests, clock, failureOf } = scriptedClient([stallingResponse]);
        const startedAt = clock.now();
        const calls = {
          createInvoice: () => service.createInvoice(request),
          fetchPaymentOptions: () => service.fetchPaymentOptions('1'),
          fetchInvoices: () => service.fetchInvoices(['inv_1']),
        };
        assert.equal((await failureOf(calls[operation]())).failure, failure);
        assertSameTime(clock.now() - startedAt, ms);
        assert.deepEqual([sentRequests.length, clock.pending], [1, 0]);
      });
});

suite('the Retry-After of a response', () => {
  for (const [name, value, expected] of [
    ['seconds', '3', 3_000],
    ['an HTTP-date', 'Fri, 20 Nov 2026 10:00:05 GMT', 5_000],
    ['more than a minute', '600', 60_000],
  ] as const)
    test(`in ${name} is in the error, and no other create is sent before it`, async () => {
      const { service, sentRequests, clock, failureOf } = scriptedClient([
        json(429, '', { 'retry-after': value }),
        json(200, createdInvoice),
      ]);
      const error = await failureOf(service.createInvoice(request));
      assert.deepEqual([error.failure, Math.round(error.retryAfterMs ?? 0)], ['unavailable', expected]);
      // A create waits for half of its time.
      const next = await clock.settle(service.createInvoice(request));
      assert.equal(next.status, expected > 4_000 ? 'rejected' : 'fulfilled');
      await clock.value(clock.sleep(expected));
      await clock.value(service.createInvoice(request));
      const [first, second] = sentRequests;
      assertSameTime((second?.at ?? 0) - (first?.at ?? 0), expected);
    });
});

suite('a caller who aborts', () => {
  test('before the call begins prevents the request', async () => {
    const { service, sentRequests, failureOf } = scriptedClient([json(200, createdInvoice)]);
    const error = await failureOf(service.createInvoice(request, AbortSignal.abort()));
    assert.deepEqual([error.failure, error.code, sentRequests.length], ['unavailable', 'canceled', 0]);
  });
  for (const [operation, failure] of [
    ['CreateInvoice', 'ambiguous'],
    ['FetchInvoices', 'unavailable'],
  ] as const)
    test(`while the client waits for a body makes a ${operation} ${failure}, and leaves no timer`, async () => {
      const { service, sentRequests, clock, failureOf } = scriptedClient([stalledBody]);
      const caller = new AbortController();
      void clock.sleep(1_000).then(() => caller.abort());
      const startedAt = clock.now();
      const call =
        operation === 'CreateInvoice'
          ? service.createInvoice(request, caller.signal)
          : service.fetchInvoices(['inv_1'], caller.signal);
      const error = await failureOf(call);
      assert.deepEqual([error.failure, error.code], [failure, 'canceled']);
      assert.deepEqual([sentRequests.length, clock.pending], [1, 0]);
      assertSameTime(clock.now() - startedAt, 1_000);
    });
  test('may use one signal for all calls, because no call leaves a listener on it', async () => {
    const { signal } = new AbortController();
    for (const response of [json(200, createdInvoice), json(500, ''), networkError('ECONNRESET'), hang]) {
      const { service, clock } = scriptedClient([response]);
      await clock.settle(service.createInvoice(request, signal));
    }
    assert.equal(getEventListeners(signal, 'abort').length, 0);
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

const hour = 3_600_000;
/** The machine's time when a test begins. */
const start = Date.UTC(2026, 10, 20, 10);
const responseWithDate = (date: string, status = 200): ScriptedResponse =>
  json(status, status === 200 ? {} : '', { date });
const httpDate = (at: number): string => new Date(at).toUTCString();

/** Makes one call for each response. Returns the client's estimate of the service's time, minus the machine's time. */
async function measureDifference(...responses: readonly ScriptedResponse[]): Promise<number | undefined> {
  const { service, clock, sentRequests } = scriptedClient(responses);
  const { length } = responses;
  while (sentRequests.length < length) await clock.settle(service.fetchInvoices(['inv_1']));
  const serviceTime = service.time?.();
  return serviceTime === undefined ? undefined : serviceTime - clock.now();
}

/** The `Date` header is rounded down to seconds. The client assumes the middle of that second. */
const halfSecondMs = 500;

suite('the time of the service', () => {
  test('is not known before the first response', () => {
    assert.equal(scriptedClient([hang]).service.time?.(), undefined);
  });

  test('is not known after responses without a Date of HTTP, and after no response', async () => {
    for (const response of [json(200, {}), responseWithDate('2026-11-20T10:00:00Z'), networkError('ECONNRESET')])
      assert.equal(await measureDifference(response), undefined);
  });

  for (const [name, ms] of [
    ['the machine’s time', 0],
    ['a time in 1970', -start],
    ['a time fifty years ahead', 50 * 8760 * hour],
  ] as const)
    test(`is that of a Date header with ${name}`, async () => {
      assertSameTime((await measureDifference(responseWithDate(httpDate(start + ms)))) ?? NaN, ms + halfSecondMs);
    });

  test('is read from an error, and kept when a later response has no readable Date', async () => {
    const responses = [responseWithDate(httpDate(start + hour), 503), json(200, {}), networkError('ECONNRESET')];
    assertSameTime((await measureDifference(...responses)) ?? NaN, hour + halfSecondMs);
  });

  test('is that of the newest response, even after a response with a Date in 1970', async () => {
    const difference = await measureDifference(responseWithDate(httpDate(0)), responseWithDate(httpDate(start)));
    assert.ok(difference !== undefined && Math.abs(difference) <= 1000, `${difference} ms`);
  });
});
