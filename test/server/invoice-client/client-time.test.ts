import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { suite, test } from 'node:test';
import { type CreateInvoiceRequest } from '../../../src/contract.ts';
import {
  createdInvoice,
  fails,
  hang,
  json,
  scriptedClient,
  type ScriptedResponse,
} from '../../support/scripted-service-client.ts';

const request: CreateInvoiceRequest = { amount: '1500.00', mode: 'TEST', external_id: 'att_1' };

/** An answer whose body begins and never ends. */
const stalledBody: ScriptedResponse = () =>
  new Response(new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('{"id":')) }));
const stalledError: ScriptedResponse = () => new Response(new ReadableStream(), { status: 503 });

suite('the deadline', () => {
  for (const [name, stall] of [
    ['headers that never come', hang],
    ['a body that never ends', stalledBody],
    ['the body of an error that never ends', stalledError],
  ] as const)
    test(`ends all tries together, with ${name}`, async () => {
      const { service, sent, time, failureOf } = scriptedClient([stall], { tries: { CreateInvoice: 99 } });
      const start = time.now();
      const error = await failureOf(service.createInvoice(request));
      assert.equal(error.failure, 'ambiguous');
      assert.ok(time.now() - start <= 25_000);
      assert.ok(time.now() - start >= 24_000);
      assert.equal(sent.length, 4);
      assert.equal(time.pending, 0);
    });
  test('shortens the last try to the remaining time', async () => {
    const { service, sent, time, failureOf } = scriptedClient([hang], { deadlineMs: { CreateInvoice: 10_000 } });
    const start = time.now();
    await failureOf(service.createInvoice(request));
    assert.deepEqual([sent.length, time.now() - start], [2, 10_000]);
  });
  test('allows no try whose remaining time is too short', async () => {
    const { service, sent, time, failureOf } = scriptedClient([hang], { deadlineMs: { CreateInvoice: 8_200 } });
    const start = time.now();
    await failureOf(service.createInvoice(request));
    assert.deepEqual([sent.length, time.now() - start], [1, 8_000]);
  });
  for (const [deadline, requests] of [
    [8_349, 1],
    [8_350, 2],
  ] as const)
    test(`of ${deadline} ms has time for ${requests} of a try of 8 s, a wait of 100 ms and a try of 250 ms`, async () => {
      const { service, sent, failureOf } = scriptedClient([hang], { deadlineMs: { CreateInvoice: deadline } });
      await failureOf(service.createInvoice(request));
      assert.equal(sent.length, requests);
    });
  test('reports a try that timed out as deadline_exceeded, without a response', async () => {
    const { service, failureOf } = scriptedClient([hang]);
    const { code, httpStatus } = await failureOf(service.fetchInvoices(['inv_1']));
    assert.deepEqual([code, httpStatus], ['deadline_exceeded', 0]);
  });
});

suite('the waits between tries', () => {
  test('double up to their cap', async () => {
    const { service, sent, failureOf } = scriptedClient([json(500, '')], {
      tries: { FetchPaymentOptions: 6 },
      deadlineMs: { FetchPaymentOptions: 60_000 },
    });
    await failureOf(service.fetchPaymentOptions('1'));
    const waits = sent.slice(1).map(({ at }, index) => at - (sent[index]?.at ?? 0));
    assert.deepEqual(waits, [100, 200, 400, 800, 1_500]);
  });

  const floors: readonly (readonly [string, string, number])[] = [
    ['seconds', '3', 3_000],
    ['an HTTP-date', 'Fri, 20 Nov 2026 10:00:05 GMT', 5_000],
    ['seconds that are less than the wait', '0', 100],
    ['an HTTP-date in the past', 'Fri, 20 Nov 2026 09:00:00 GMT', 100],
    ['words', 'soon', 100],
  ];
  for (const [name, value, expected] of floors)
    test(`are ${expected} ms after a Retry-After of ${name}`, async () => {
      const { service, sent, time } = scriptedClient([
        json(429, '', { 'retry-after': value }),
        json(200, createdInvoice),
      ]);
      await time.value(service.createInvoice(request));
      assert.equal((sent[1]?.at ?? 0) - (sent[0]?.at ?? 0), expected);
    });

  test('that Retry-After stretches beyond the deadline end the call at once, with the Retry-After in the error', async () => {
    const { service, sent, time, failureOf } = scriptedClient([json(503, '', { 'retry-after': '30' })]);
    const start = time.now();
    const error = await failureOf(service.createInvoice(request));
    assert.deepEqual([error.retryAfterMs, sent.length, time.now() - start], [30_000, 1, 0]);
  });
  test('that the service requests are limited to a minute', async () => {
    const { service, failureOf } = scriptedClient([json(429, '', { 'retry-after': '86400' })]);
    assert.equal((await failureOf(service.createInvoice(request))).retryAfterMs, 60_000);
  });
});

suite('a caller who aborts', () => {
  test('before the call begins costs no request', async () => {
    const { service, sent, failureOf } = scriptedClient([json(200, createdInvoice)]);
    const error = await failureOf(service.createInvoice(request, AbortSignal.abort()));
    assert.deepEqual([error.failure, error.code, sent.length], ['unavailable', 'canceled', 0]);
  });
  for (const [name, stall] of [
    ['headers', hang],
    ['a body', stalledBody],
    ['the body of an error', stalledError],
  ] as const)
    test(`while ${name} is awaited leaves a create in doubt, a read not, and nothing behind`, async () => {
      for (const [operation, failure] of [
        ['CreateInvoice', 'ambiguous'],
        ['FetchInvoices', 'unavailable'],
      ] as const) {
        const { service, sent, time, failureOf } = scriptedClient([stall]);
        const caller = new AbortController();
        const { signal } = caller;
        void time.sleep(1_000).then(() => caller.abort());
        const start = time.now();
        const call =
          operation === 'CreateInvoice'
            ? service.createInvoice(request, signal)
            : service.fetchInvoices(['inv_1'], signal);
        const error = await failureOf(call);
        assert.deepEqual([error.failure, error.code], [failure, 'canceled']);
        assert.deepEqual([sent.length, time.now() - start, time.pending], [1, 1_000, 0]);
      }
    });
  test('may use one signal for all calls, because no call leaves a listener on it', async () => {
    const { signal } = new AbortController();
    for (const answer of [json(200, createdInvoice), json(500, ''), fails('ECONNRESET'), hang]) {
      const { service, time } = scriptedClient([answer]);
      await time.settle(service.createInvoice(request, signal));
    }
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });
  test('between two tries leaves the call as the last try left it', async () => {
    const { service, sent, time, failureOf } = scriptedClient([fails('ECONNREFUSED', 'connect')]);
    const caller = new AbortController();
    void time.sleep(50).then(() => caller.abort());
    const start = time.now();
    const error = await failureOf(service.createInvoice(request, caller.signal));
    assert.deepEqual([error.failure, error.code, sent.length], ['unavailable', 'canceled', 1]);
    assert.equal(time.now() - start, 50);
  });
  test('gets no other try, even when the abort comes at the end of the wait for it', async () => {
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
    const { service, sent, failureOf } = scriptedClient([fails('ECONNREFUSED', 'connect')], { clock });
    const error = await failureOf(service.createInvoice(request, caller.signal));
    assert.deepEqual([error.failure, error.code, sent.length], ['unavailable', 'canceled', 1]);
  });
  for (const [status, code] of [
    [400, 'invalid_argument'],
    [503, 'canceled'],
  ] as const)
    test(`after a response with ${status} gets ${code}`, async () => {
      const caller = new AbortController();
      const { service, failureOf } = scriptedClient([json(status, '')], { log: () => caller.abort() });
      assert.equal((await failureOf(service.createInvoice(request, caller.signal))).code, code);
    });
});
