import { circuitBreaker, CircuitState, ConsecutiveBreaker, handleAll } from 'cockatiel';
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type CreateInvoiceRequest } from '../../../src/contract.ts';
import type { Guard } from '../../../src/server/invoice-client/client-options.ts';
import {
  createdInvoice,
  networkError,
  hang,
  json,
  qrFailure,
  scriptedClient,
  type ScriptedResponse,
} from '../../support/scripted-service-client.ts';

/** So high that only the retry budget limits the repeats in tests with hundreds of concurrent calls. */
const requestsPerSecond = { CreateInvoice: 100_000, FetchPaymentOptions: 100_000, FetchInvoices: 100_000 };

const request: CreateInvoiceRequest = { amount: '1500.00', mode: 'TEST', external_id: 'att_1' };

suite('an outage', () => {
  const outages: readonly (readonly [string, ScriptedResponse])[] = [
    ['refused connections', networkError('ECONNREFUSED', 'connect')],
    ['reset connections', networkError('ECONNRESET')],
    ['responses with 503', json(503, '')],
    ['responses with 429', json(429, '')],
    ['missing responses', hang],
  ];
  for (const [name, outage] of outages)
    for (const calls of [100, 1_000])
      test(`of ${name} causes at most 1.2 requests for each of ${calls} calls`, async () => {
        const { service, sentRequests, clock } = scriptedClient([outage], { requestsPerSecond });
        for (let call = 0; call < calls / 4; call += 1) {
          await clock.settle(service.createInvoice(request));
          await clock.settle(service.fetchPaymentOptions('1'));
          await clock.settle(service.fetchInvoices(['inv_1']));
          await clock.settle(service.fetchInvoices(['inv_2']));
        }
        assert.ok(sentRequests.length > calls);
        assert.ok(sentRequests.length <= calls * 1.2, `${sentRequests.length} requests`);
      });
  test('causes at most 1.2 requests for each of 500 concurrent calls', async () => {
    const { service, sentRequests, clock } = scriptedClient([json(503, '')], { requestsPerSecond });
    await clock.settle(Promise.allSettled(Array.from({ length: 500 }, () => service.fetchPaymentOptions('1'))));
    assert.ok(sentRequests.length <= 600, `${sentRequests.length} requests`);
  });
  test('is followed by calls that restore the retry budget for the next outage', async () => {
    const script = { currentResponse: json(503, '') };
    const { service, sentRequests, clock } = scriptedClient([(...args) => script.currentResponse(...args)], {
      requestsPerSecond,
    });
    const countRequests = async () => {
      const countBefore = sentRequests.length;
      await clock.settle(service.fetchPaymentOptions('1'));
      return sentRequests.length - countBefore;
    };
    for (let call = 0; call < 9; call += 1) await countRequests();
    assert.equal(await countRequests(), 1);
    script.currentResponse = json(200, {});
    for (let call = 0; call < 30; call += 1) await countRequests();
    script.currentResponse = json(503, '');
    assert.equal(await countRequests(), 3);
  });
  test('of QR generation alone leaves every create with an invoice, with at most 2.2 requests each', async () => {
    const { service, sentRequests, clock } = scriptedClient([
      (...args) => ('qr' in args[0].body ? qrFailure : json(200, createdInvoice))(...args),
    ]);
    for (let call = 0; call < 200; call += 1)
      assert.equal((await clock.value(service.createInvoice({ ...request, qr: { generate: true } }))).id, 'inv_1');
    assert.ok(sentRequests.length <= 200 * 2.2, `${sentRequests.length} requests`);
  });
});

suite('the guard', () => {
  const createCountingGuard = () => {
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
  for (const [name, response, outages] of rows)
    test(`gets ${outages} rejections of its call for ${name}`, async () => {
      const { counts, guard } = createCountingGuard();
      const { service, sentRequests, clock } = scriptedClient([response], { guard });
      await clock.settle(service.createInvoice({ ...request, qr: { generate: true } }));
      assert.deepEqual([counts.calls, counts.outages], [sentRequests.length, outages]);
    });
  test('gets no rejection of its call when the caller aborts', async () => {
    const { counts, guard } = createCountingGuard();
    const { service, clock } = scriptedClient([hang], { guard });
    const caller = new AbortController();
    void clock.sleep(1_000).then(() => caller.abort());
    await clock.settle(service.createInvoice(request, caller.signal));
    assert.deepEqual(counts, { calls: 1, outages: 0 });
  });
  test('that rejects without making the call makes a create unavailable without a request or a wait', async () => {
    const openGuard: Guard = () => Promise.reject(new Error('open'));
    const { service, sentRequests, failureOf, clock } = scriptedClient([json(200, createdInvoice)], {
      guard: openGuard,
    });
    const start = clock.now();
    const error = await failureOf(service.createInvoice(request));
    assert.deepEqual([error.failure, sentRequests.length, clock.now() - start], ['unavailable', 0, 0]);
  });
  test('that opens after an ambiguous try leaves the create in doubt', async () => {
    let calls = 0;
    const guard: Guard = (call) => {
      calls += 1;
      return calls > 1 ? Promise.reject(new Error('open')) : call();
    };
    const { service, failureOf } = scriptedClient([networkError('ECONNRESET')], { guard });
    assert.equal((await failureOf(service.createInvoice(request))).failure, 'ambiguous');
  });
  test('may be a breaker of cockatiel: it opens after five failed tries, and closes when the service responds again', async (t) => {
    t.mock.timers.enable({ apis: ['Date'] }); // cockatiel takes no clock as an option
    const breaker = circuitBreaker(handleAll, { halfOpenAfter: 2_000, breaker: new ConsecutiveBreaker(5) });
    const script = { currentResponse: json(500, '') };
    const { service, sentRequests, clock } = scriptedClient([(...args) => script.currentResponse(...args)], {
      guard: (call) => breaker.execute(() => call()),
      requestsPerSecond,
    });
    for (let call = 0; call < 20; call += 1) await clock.settle(service.fetchPaymentOptions('1'));
    assert.deepEqual([sentRequests.length, breaker.state], [5, CircuitState.Open]);
    script.currentResponse = json(200, {});
    t.mock.timers.tick(2_001);
    assert.deepEqual(await clock.value(service.fetchPaymentOptions('1')), []);
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
