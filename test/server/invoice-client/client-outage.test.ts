import { circuitBreaker, CircuitState, ConsecutiveBreaker, handleAll } from 'cockatiel';
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type CreateInvoiceRequest } from '../../../src/contract.ts';
import type { Guard } from '../../../src/server/invoice-client/client-options.ts';
import {
  createdInvoice,
  fails,
  hang,
  json,
  qrFailure,
  scriptedClient,
  type ScriptedResponse,
} from '../../support/scripted-service-client.ts';

/** So high that only the retry budget limits the repeats in tests with hundreds of calls at once. */
const requestsPerSecond = { CreateInvoice: 100_000, FetchPaymentOptions: 100_000, FetchInvoices: 100_000 };

const request: CreateInvoiceRequest = { amount: '1500.00', mode: 'TEST', external_id: 'att_1' };

suite('an outage', () => {
  const outages: readonly (readonly [string, ScriptedResponse])[] = [
    ['no connection', fails('ECONNREFUSED', 'connect')],
    ['resets', fails('ECONNRESET')],
    ['503', json(503, '')],
    ['429', json(429, '')],
    ['silence', hang],
  ];
  for (const [name, outage] of outages)
    for (const calls of [100, 1_000])
      test(`of ${name} makes at most 1.2 times the traffic of ${calls} calls`, async () => {
        const { service, sent, time } = scriptedClient([outage], { requestsPerSecond });
        for (let call = 0; call < calls / 4; call += 1) {
          await time.settle(service.createInvoice(request));
          await time.settle(service.fetchPaymentOptions('1'));
          await time.settle(service.fetchInvoices(['inv_1']));
          await time.settle(service.fetchInvoices(['inv_2']));
        }
        assert.ok(sent.length > calls);
        assert.ok(sent.length <= calls * 1.2, `${sent.length} requests`);
      });
  test('during many concurrent calls makes at most 1.2 times their traffic', async () => {
    const { service, sent, time } = scriptedClient([json(503, '')], { requestsPerSecond });
    await time.settle(Promise.allSettled(Array.from({ length: 500 }, () => service.fetchPaymentOptions('1'))));
    assert.ok(sent.length <= 600, `${sent.length} requests`);
  });
  test('is followed by calls that restore the retry budget for the next outage', async () => {
    const answers = { now: json(503, '') };
    const { service, sent, time } = scriptedClient([(...asked) => answers.now(...asked)], { requestsPerSecond });
    const requestsOf = async () => {
      const before = sent.length;
      await time.settle(service.fetchPaymentOptions('1'));
      return sent.length - before;
    };
    for (let call = 0; call < 9; call += 1) await requestsOf();
    assert.equal(await requestsOf(), 1);
    answers.now = json(200, {});
    for (let call = 0; call < 30; call += 1) await requestsOf();
    answers.now = json(503, '');
    assert.equal(await requestsOf(), 3);
  });
  test('of QR generation only leaves every create with an invoice, for at most 2.2 requests each', async () => {
    const { service, sent, time } = scriptedClient([
      (...asked) => ('qr' in asked[0].body ? qrFailure : json(200, createdInvoice))(...asked),
    ]);
    for (let call = 0; call < 200; call += 1)
      assert.equal((await time.value(service.createInvoice({ ...request, qr: { generate: true } }))).id, 'inv_1');
    assert.ok(sent.length <= 200 * 2.2, `${sent.length} requests`);
  });
});

suite('the guard', () => {
  const countingGuard = () => {
    const counts = { calls: 0, outages: 0 };
    const guard: Guard = async (call) => {
      counts.calls += 1;
      try {
        return await call();
      } catch (error) {
        counts.outages += 1;
        throw error;
      }
    };
    return { counts, guard };
  };
  const rows: readonly (readonly [string, ScriptedResponse, number])[] = [
    ['each of the three tries in an outage', json(500, ''), 3],
    ['a refusal', json(400, {}), 0],
    ['a rate limit', json(429, {}), 0],
    ['a failure of QR generation, for the try without a QR', qrFailure, 1],
    ['a success', json(200, createdInvoice), 0],
  ];
  for (const [name, answer, outages] of rows)
    test(`gets ${outages} rejections for ${name}`, async () => {
      const { counts, guard } = countingGuard();
      const { service, sent, time } = scriptedClient([answer], { guard });
      await time.settle(service.createInvoice({ ...request, qr: { generate: true } }));
      assert.deepEqual([counts.calls, counts.outages], [sent.length, outages]);
    });
  test('gets no rejection when the caller aborts', async () => {
    const { counts, guard } = countingGuard();
    const { service, time } = scriptedClient([hang], { guard });
    const caller = new AbortController();
    void time.sleep(1_000).then(() => caller.abort());
    await time.settle(service.createInvoice(request, caller.signal));
    assert.deepEqual(counts, { calls: 1, outages: 0 });
  });
  test('that rejects every call makes the call unavailable at once, a create too', async () => {
    const open: Guard = () => Promise.reject(new Error('open'));
    const { service, sent, failureOf, time } = scriptedClient([json(200, createdInvoice)], { guard: open });
    const start = time.now();
    const error = await failureOf(service.createInvoice(request));
    assert.deepEqual([error.failure, sent.length, time.now() - start], ['unavailable', 0, 0]);
  });
  test('that opens after an ambiguous try leaves the create in doubt', async () => {
    let calls = 0;
    const guard: Guard = (call) => {
      calls += 1;
      return calls > 1 ? Promise.reject(new Error('open')) : call();
    };
    const { service, failureOf } = scriptedClient([fails('ECONNRESET')], { guard });
    assert.equal((await failureOf(service.createInvoice(request))).failure, 'ambiguous');
  });
  test('may be a breaker of cockatiel: it opens after some outages, and closes when the service works again', async (t) => {
    t.mock.timers.enable({ apis: ['Date'] }); // cockatiel takes no clock as an option
    const breaker = circuitBreaker(handleAll, { halfOpenAfter: 2_000, breaker: new ConsecutiveBreaker(5) });
    const answers = { now: json(500, '') };
    const { service, sent, time } = scriptedClient([(...asked) => answers.now(...asked)], {
      guard: (call) => breaker.execute(() => call()),
      requestsPerSecond,
    });
    for (let call = 0; call < 20; call += 1) await time.settle(service.fetchPaymentOptions('1'));
    assert.deepEqual([sent.length, breaker.state], [5, CircuitState.Open]);
    answers.now = json(200, {});
    t.mock.timers.tick(2_001);
    assert.deepEqual(await time.value(service.fetchPaymentOptions('1')), []);
    assert.equal(breaker.state, CircuitState.Closed);
  });
  test('that throws after a success does not prevent the result', async () => {
    const guard: Guard = async (call) => {
      await call();
      throw new Error('late');
    };
    const { service } = scriptedClient([json(200, createdInvoice)], { guard });
    assert.equal((await service.createInvoice(request)).id, 'inv_1');
  });
  test('that throws while the call is under way leaves a create in doubt', async () => {
    const guard: Guard = (call) => {
      void call();
      return Promise.reject(new Error('early'));
    };
    const { service, failureOf } = scriptedClient([hang], { guard });
    assert.equal((await failureOf(service.createInvoice(request))).failure, 'ambiguous');
  });
});
