import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { CreateInvoiceRequest } from '../../../src/service-api.ts';
import {
  createdInvoice,
  networkError,
  hang,
  json,
  qrFailure,
  scriptedClient,
  type ScriptedResponse,
} from '../../support/scripted-service-client.ts';
import type { AutoAdvancingClock } from '../../support/auto-advancing-clock.ts';
import { assertSameTime } from '../../support/fake-clock.ts';

const request: CreateInvoiceRequest = { amount: '1500.00', mode: 'TEST', external_id: 'att_1' };
const withQr: CreateInvoiceRequest = { ...request, qr: { generate: true, timeout: '4s' } };
const success = json(200, createdInvoice);
let clockOfTest: AutoAdvancingClock | undefined;

const qrInRequests = (sentRequests: readonly { readonly body: object }[]): readonly boolean[] =>
  sentRequests.map(({ body }) => 'qr' in body);

/** The response after some time, as that of a service that tries to generate the QR. */
const after =
  (ms: number, respond: ScriptedResponse): ScriptedResponse =>
  async (sentRequest, signal) => {
    await clockOfTest?.sleep(ms);
    return respond(sentRequest, signal);
  };

suite('QR generation that fails', () => {
  test('is requested again, and at last the same request without the QR', async () => {
    const { service, sentRequests, clock } = scriptedClient([qrFailure, qrFailure, success]);
    assert.equal((await clock.value(service.createInvoice(withQr))).id, 'inv_1');
    assert.deepEqual(qrInRequests(sentRequests), [true, true, false]);
    assert.equal(sentRequests[1]?.text, sentRequests[0]?.text);
    assert.deepEqual(sentRequests[2]?.body, request);
  });
  test('is requested again even without external_id, because no invoice was created', async () => {
    const { service, sentRequests, clock } = scriptedClient([qrFailure, success]);
    await clock.value(service.createInvoice({ amount: '1500.00', mode: 'TEST', qr: { generate: true } }));
    assert.equal(sentRequests.length, 2);
  });
  test('leaves the call in doubt when the connection is lost in the request without the QR', async () => {
    const { service, sentRequests, failureOf } = scriptedClient([qrFailure, qrFailure, networkError('ECONNRESET')]);
    assert.equal((await failureOf(service.createInvoice(withQr))).failure, 'ambiguous');
    assert.equal(sentRequests.length, 3);
  });
  for (const [timeout, ms, qrs] of [
    ['4s', 900, [true, true, false]],
    ['4s', 4_000, [true, false]],
    ['20s', 20_000, [true, false]],
  ] as const)
    test(`after ${ms} ms with a qr.timeout of ${timeout} leaves time for the request without the QR`, async () => {
      const client = scriptedClient([after(ms, qrFailure), after(ms, qrFailure), success].slice(3 - qrs.length));
      clockOfTest = client.clock;
      const startedAt = client.clock.now();
      await client.clock.value(client.service.createInvoice({ ...request, qr: { generate: true, timeout } }));
      assert.deepEqual(qrInRequests(client.sentRequests), qrs);
      for (const [index, { at }] of client.sentRequests.entries())
        assertSameTime((at - startedAt) / (index || 1), index && ms);
    });
  test('leaves the rest of the time to the request without the QR: 4 s of 8 s', async () => {
    const client = scriptedClient([after(4_000, qrFailure), hang]);
    clockOfTest = client.clock;
    const startedAt = client.clock.now();
    assert.equal((await client.failureOf(client.service.createInvoice(withQr))).failure, 'ambiguous');
    assertSameTime(client.clock.now() - startedAt, 8_000);
  });
  test('with a Retry-After is not waited for: the request without the QR is sent at once', async () => {
    const { service, sentRequests, clock } = scriptedClient([
      json(503, { code: 'internal', message: 'QR' }, { 'retry-after': '60' }),
      success,
    ]);
    assert.equal((await clock.value(service.createInvoice(withQr))).id, 'inv_1');
    assert.deepEqual(qrInRequests(sentRequests), [true, false]);
    assertSameTime((sentRequests[1]?.at ?? 0) - (sentRequests[0]?.at ?? 0), 0);
  });

  test('is waited for as long as ever after the request has waited for the rate limit', async () => {
    const client = scriptedClient([success, success, after(4_000, qrFailure), success], {
      requestsPerSecond: { CreateInvoice: 1 },
    });
    clockOfTest = client.clock;
    const { service, clock, sentRequests } = client;
    const others = Array.from({ length: 2 }, () => service.createInvoice(request));
    const call = service.createInvoice(withQr); // waits for 2.2 s
    assert.equal((await clock.value(call)).id, 'inv_1');
    await Promise.all(others);
    assert.deepEqual(qrInRequests(sentRequests.slice(2)), [true, false]);
  });

  const timeouts: readonly (readonly [string | undefined, number])[] = [
    [undefined, 7_000],
    ['6.500s', 9_500],
    ['garbage', 7_000],
  ];
  for (const [timeout, ms] of timeouts)
    test(`is waited for up to ${ms} ms when qr.timeout is ${timeout ?? 'missing'}, and then the call is in doubt`, async () => {
      const { service, sentRequests, clock, failureOf } = scriptedClient([hang, success]);
      const start = clock.now();
      const error = await failureOf(service.createInvoice({ ...request, qr: { generate: true, timeout } }));
      assert.deepEqual([error.failure, sentRequests.length], ['ambiguous', 1]);
      assertSameTime(clock.now() - start, ms);
    });
});

suite('a service that refuses a create with a QR', () => {
  for (const status of [400, 413, 501])
    test(`by ${status} gets the same request without the QR at once`, async () => {
      const { service, sentRequests, clock } = scriptedClient([json(status, ''), success]);
      assert.equal((await clock.value(service.createInvoice(withQr))).id, 'inv_1');
      assert.deepEqual(qrInRequests(sentRequests), [true, false]);
      assert.deepEqual(sentRequests[1]?.body, request);
    });
  for (const status of [401, 403, 409, 429])
    test(`by ${status} gets no other request, because the QR is not the reason`, async () => {
      const { service, sentRequests, failureOf } = scriptedClient([json(status, ''), success]);
      await failureOf(service.createInvoice(withQr));
      assert.equal(sentRequests.length, 1);
    });
  for (const [name, response] of [
    ['503 with the code inside another member', json(503, { error: { code: 'internal', message: 'QR' } })],
    ['502 with HTML', json(502, '<html>Bad gateway</html>')],
    ['408', json(408, '')],
    ['a truncated 200', json(200, '{"id":"inv_1","amou')],
  ] as const)
    test(`by ${name}, after which the invoice may exist, gets no other request: the attempt repeats it`, async () => {
      const { service, sentRequests, failureOf } = scriptedClient([response, success]);
      assert.equal((await failureOf(service.createInvoice(withQr))).failure, 'ambiguous');
      assert.equal(sentRequests.length, 1);
    });
  test('and the create without a QR, too, gets one request without the QR, and the call is refused', async () => {
    const { service, sentRequests, failureOf } = scriptedClient([
      json(400, { code: 'out_of_range', message: 'amount' }),
    ]);
    const error = await failureOf(service.createInvoice(withQr));
    assert.deepEqual(
      [error.failure, error.code, qrInRequests(sentRequests)],
      ['refused', 'out_of_range', [true, false]],
    );
  });
});
