import assert from 'node:assert/strict';
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

const request: CreateInvoiceRequest = { amount: '1500.00', mode: 'TEST', external_id: 'att_1' };
const withQr: CreateInvoiceRequest = { ...request, qr: { generate: true, timeout: '4s' } };

/** A service that responds to every create with a QR by `refusal`, and creates the invoice when no QR is requested. */
const refuseQr =
  (refusal: ScriptedResponse): ScriptedResponse =>
  (sentRequest, signal) =>
    ('qr' in sentRequest.body ? refusal : json(200, createdInvoice))(sentRequest, signal);

const qrInTries = (sentRequests: readonly { readonly body: object }[]): readonly boolean[] =>
  sentRequests.map(({ body }) => 'qr' in body);

suite('a service that refuses QRs', () => {
  const refusals: readonly (readonly [string, ScriptedResponse, tries: number])[] = [
    ['503 with the code inside another member', json(503, { error: { code: 'internal', message: 'QR' } }), 3],
    ['503 with an empty body', json(503, ''), 3],
    ['500', json(500, { code: 'internal', message: 'QR' }), 3],
    ['400', json(400, { code: 'invalid_argument', message: 'qr' }), 2],
    ['422 without a code', json(422, ''), 2],
    ['502 with HTML', json(502, '<html>Bad gateway</html>'), 3],
    ['200 with HTML', json(200, '<html>Sorry</html>'), 3],
    ['sending no response', hang, 3],
    ['resetting the connection', networkError('ECONNRESET'), 3],
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
  test('is not assumed when the service cannot be reached: the request keeps its QR', async () => {
    const { service, sentRequests, failureOf } = scriptedClient([networkError('ECONNREFUSED', 'connect')]);
    await failureOf(service.createInvoice(withQr));
    assert.deepEqual(qrInTries(sentRequests), [true, true, true]);
  });
  test('by 400 gets one try without the QR, even when no tries are left', async () => {
    const { service, sentRequests, clock } = scriptedClient([json(429, ''), json(429, ''), refuseQr(json(400, ''))]);
    assert.equal((await clock.value(service.createInvoice(withQr))).id, 'inv_1');
    assert.deepEqual(qrInTries(sentRequests), [true, true, true, false]);
  });
  test('and refuses creates without a QR by 400, too, gets one try without the QR, and the call is refused', async () => {
    const { service, sentRequests, failureOf } = scriptedClient([
      json(400, { code: 'out_of_range', message: 'amount' }),
    ]);
    const error = await failureOf(service.createInvoice(withQr));
    assert.deepEqual([error.failure, error.code, qrInTries(sentRequests)], ['refused', 'out_of_range', [true, false]]);
  });
  test('by 408 gets no second try of a create without external_id, because it may have created the invoice', async () => {
    const anonymous: CreateInvoiceRequest = { amount: '1500.00', mode: 'TEST', qr: { generate: true } };
    const { service, sentRequests, failureOf } = scriptedClient([refuseQr(json(408, ''))]);
    assert.equal((await failureOf(service.createInvoice(anonymous))).failure, 'ambiguous');
    assert.equal(sentRequests.length, 1);
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
