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
import { assertSameTime } from '../../support/fake-clock.ts';

const request: CreateInvoiceRequest = { amount: '1500.00', mode: 'TEST', external_id: 'att_1' };
const withQr: CreateInvoiceRequest = { ...request, qr: { generate: true, timeout: '4s' } };
const success = json(200, createdInvoice);

const qrInTries = (sentRequests: readonly { readonly body: object }[]): readonly boolean[] =>
  sentRequests.map(({ body }) => 'qr' in body);

suite('QR generation that fails', () => {
  test('is repeated, and the last try requests no QR but has the same other members', async () => {
    const { service, sentRequests, clock } = scriptedClient([qrFailure, qrFailure, success]);
    assert.equal((await clock.value(service.createInvoice(withQr))).id, 'inv_1');
    assert.deepEqual(qrInTries(sentRequests), [true, true, false]);
    assert.deepEqual(sentRequests[2]?.body, request);
  });
  test('is repeated with the same request, which includes the QR, when tries are left, even without external_id', async () => {
    const { service, sentRequests, clock } = scriptedClient([qrFailure, success]);
    await clock.value(service.createInvoice({ amount: '1500.00', mode: 'TEST', qr: { generate: true } }));
    assert.deepEqual([sentRequests.length, sentRequests[1]?.text], [2, sentRequests[0]?.text]);
  });
  test('leaves the call in doubt when the connection is lost in the try without the QR', async () => {
    const { service, sentRequests, failureOf } = scriptedClient([qrFailure, qrFailure, networkError('ECONNRESET')]);
    assert.equal((await failureOf(service.createInvoice(withQr))).failure, 'ambiguous');
    assert.equal(sentRequests.length, 3);
  });
  for (const [timeout, requestsQr] of [
    ['13.899s', true],
    ['13.901s', false],
  ] as const)
    test(`is followed by a try ${requestsQr ? 'with' : 'without'} the QR when qr.timeout is ${timeout} and the call may take 25 s`, async () => {
      const { service, sentRequests, clock } = scriptedClient([qrFailure, success]);
      await clock.value(service.createInvoice({ ...request, qr: { generate: true, timeout } }));
      assert.equal('qr' in (sentRequests[1]?.body ?? {}), requestsQr);
    });
  test('is followed by at most one try without the QR', async () => {
    const { service, sentRequests, failureOf } = scriptedClient([qrFailure, networkError('ECONNRESET'), success]);
    const requestWithSlowQr = { ...request, qr: { generate: true, timeout: '20s' } };
    assert.equal((await failureOf(service.createInvoice(requestWithSlowQr))).failure, 'ambiguous');
    assert.equal(sentRequests.length, 2);
  });
  test('that may be an outage is followed by a try without the QR when the retry budget is spent', async () => {
    const { service, sentRequests, clock } = scriptedClient([
      ...Array.from({ length: 9 }, () => json(500, '')),
      success,
    ]);
    for (let call = 0; call < 3; call += 1) await clock.settle(service.fetchPaymentOptions('1')); // 3 + 3 + 2 tries
    assert.equal(sentRequests.length, 8);
    await clock.value(service.createInvoice(withQr));
    assert.deepEqual(qrInTries(sentRequests.slice(8)), [true, false]);
  });

  const timeouts: readonly (readonly [string | undefined, number])[] = [
    [undefined, 8_000],
    ['6.500s', 9_500],
    ['garbage', 8_000],
  ];
  for (const [timeout, tryMs] of timeouts)
    test(`is waited for up to ${tryMs} ms in a try whose qr.timeout is ${timeout ?? 'missing'}`, async () => {
      const { service, sentRequests, clock } = scriptedClient([hang, qrFailure, success]);
      const start = clock.now();
      const call = service.createInvoice({ ...request, qr: { generate: true, timeout } });
      await clock.settle(call);
      assertSameTime((sentRequests[1]?.at ?? 0) - start, tryMs + 100);
    });
});

/** A service that responds to every create with a QR by `refusal`, and creates the invoice when no QR is requested. */
const refuseQr =
  (refusal: ScriptedResponse): ScriptedResponse =>
  (sentRequest, signal) =>
    ('qr' in sentRequest.body ? refusal : json(200, createdInvoice))(sentRequest, signal);

suite('a service that refuses QRs', () => {
  const refusals: readonly (readonly [string, ScriptedResponse, tries: number])[] = [
    ['503 with the code inside another member', json(503, { error: { code: 'internal', message: 'QR' } }), 3],
    ['400', json(400, { code: 'invalid_argument', message: 'qr' }), 2],
    ['502 with HTML', json(502, '<html>Bad gateway</html>'), 3],
    ['sending no response', hang, 3],
    ['a truncated 200', json(200, '{"id":"inv_1","amou'), 3],
  ];
  for (const [name, refusal, tries] of refusals) {
    test(`by ${name} gets the request without the QR as the last try, with the same external_id`, async () => {
      const { service, sentRequests, clock } = scriptedClient([refuseQr(refusal)]);
      assert.equal((await clock.value(service.createInvoice(withQr))).id, 'inv_1');
      assert.deepEqual(qrInTries(sentRequests), [...Array<boolean>(tries - 1).fill(true), false]);
      assert.deepEqual(sentRequests.at(-1)?.body, request);
    });
    test(`by ${name} creates an invoice for each of 200 payers, with at most 2.2 requests each`, async () => {
      const { service, sentRequests, clock } = scriptedClient([refuseQr(refusal)]);
      for (let payer = 0; payer < 200; payer += 1) await clock.value(service.createInvoice(withQr));
      assert.ok(sentRequests.length <= 200 * 2.2, `${sentRequests.length} requests`);
    });
  }
  for (const status of [401, 403, 409, 429])
    test(`is not assumed after ${status}: the request keeps its QR`, async () => {
      const { service, sentRequests, failureOf } = scriptedClient([refuseQr(json(status, ''))]);
      await failureOf(service.createInvoice(withQr));
      assert.ok(qrInTries(sentRequests).every(Boolean));
    });
  test('by 400 gets one try without the QR, even when no tries are left', async () => {
    const { service, sentRequests, clock } = scriptedClient([json(429, ''), json(429, ''), refuseQr(json(400, ''))]);
    assert.equal((await clock.value(service.createInvoice(withQr))).id, 'inv_1');
    assert.deepEqual(qrInTries(sentRequests), [true, true, true, false]);
  });
  for (const [external_id, qrs] of [
    ['att_1', [true, false]],
    [undefined, [true]],
  ] as const)
    test(`by 408, after which the invoice may exist, gets ${qrs.length - 1} tries without the QR when external_id is ${external_id ?? 'missing'}`, async () => {
      const { service, sentRequests, clock } = scriptedClient([refuseQr(json(408, ''))]);
      await clock.settle(service.createInvoice({ ...withQr, external_id }));
      assert.deepEqual(qrInTries(sentRequests), qrs);
    });
  test('and refuses creates without a QR by 400, too, gets one try without the QR, and the call is refused', async () => {
    const { service, sentRequests, failureOf } = scriptedClient([
      json(400, { code: 'out_of_range', message: 'amount' }),
    ]);
    const error = await failureOf(service.createInvoice(withQr));
    assert.deepEqual([error.failure, error.code, qrInTries(sentRequests)], ['refused', 'out_of_range', [true, false]]);
  });
  test('by 503 gets a try without the QR, although its Retry-After is beyond the deadline', async () => {
    const refusal = json(503, { code: 'internal', message: 'QR' }, { 'retry-after': '60' });
    const { service, sentRequests, clock } = scriptedClient([refuseQr(refusal)]);
    assert.equal((await clock.value(service.createInvoice(withQr))).id, 'inv_1');
    assert.deepEqual(qrInTries(sentRequests), [true, false]);
  });
});

test('in an outage, creates with a QR have 25 additional tries together, and of the later creates every tenth has one', async () => {
  const { service, sentRequests, failureOf } = scriptedClient([json(503, '')]);
  for (let payer = 0; payer < 220; payer += 1) await failureOf(service.createInvoice(withQr));
  assert.ok(sentRequests.length <= 220 + 25 + 22, `${sentRequests.length} requests`);
});
