import assert from 'node:assert/strict';
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
const withQr: CreateInvoiceRequest = { ...request, qr: { generate: true, timeout: '4s' } };

/** A service that answers every request with a QR by `answer`, and creates the invoice without one. */
const refusesQr =
  (answer: ScriptedResponse): ScriptedResponse =>
  (sent, signal) =>
    ('qr' in sent.body ? answer : json(200, createdInvoice))(sent, signal);

const qrTriesOf = (sent: readonly { readonly body: object }[]): readonly boolean[] =>
  sent.map(({ body }) => 'qr' in body);

suite('a service that refuses QRs', () => {
  const shapes: readonly (readonly [string, ScriptedResponse, tries: number])[] = [
    ['503 with the code inside another member', json(503, { error: { code: 'internal', message: 'QR' } }), 3],
    ['503 with an empty body', json(503, ''), 3],
    ['500', json(500, { code: 'internal', message: 'QR' }), 3],
    ['400', json(400, { code: 'invalid_argument', message: 'qr' }), 2],
    ['422 without a code', json(422, ''), 2],
    ['HTML', json(502, '<html>Bad gateway</html>'), 3],
    ['HTML and 200', json(200, '<html>Sorry</html>'), 3],
    ['silence', hang, 3],
    ['a reset', fails('ECONNRESET'), 3],
    ['a truncated 200', json(200, '{"id":"inv_1","amou'), 3],
  ];
  for (const [name, answer, tries] of shapes) {
    test(`by ${name} gets the request without the QR as the last try, with the same external_id`, async () => {
      const { service, sent, time } = scriptedClient([refusesQr(answer)]);
      assert.equal((await time.value(service.createInvoice(withQr))).id, 'inv_1');
      assert.deepEqual(qrTriesOf(sent), [...Array<boolean>(tries - 1).fill(true), false]);
      assert.deepEqual(sent.at(-1)?.body, request);
    });
    test(`by ${name} creates an invoice for each of 200 payers, with at most 2.2 requests each`, async () => {
      const { service, sent, time } = scriptedClient([refusesQr(answer)]);
      for (let payer = 0; payer < 200; payer += 1) await time.value(service.createInvoice(withQr));
      assert.ok(sent.length <= 200 * 2.2, `${sent.length} requests`);
    });
  }
  for (const status of [401, 403, 409, 429])
    test(`is not assumed after ${status}: the request keeps its QR`, async () => {
      const { service, sent, failureOf } = scriptedClient([refusesQr(json(status, ''))]);
      await failureOf(service.createInvoice(withQr));
      assert.ok(qrTriesOf(sent).every(Boolean));
    });
  test('is not assumed when the service cannot be reached: the request keeps its QR', async () => {
    const { service, sent, failureOf } = scriptedClient([fails('ECONNREFUSED', 'connect')]);
    await failureOf(service.createInvoice(withQr));
    assert.deepEqual(qrTriesOf(sent), [true, true, true]);
  });
  test('by 400 gets one try without the QR, also when the tries are used up', async () => {
    const { service, sent, time } = scriptedClient([json(429, ''), json(429, ''), refusesQr(json(400, ''))]);
    assert.equal((await time.value(service.createInvoice(withQr))).id, 'inv_1');
    assert.deepEqual(qrTriesOf(sent), [true, true, true, false]);
  });
  test('and all other creates with 400 gets one try without the QR, and the call is refused', async () => {
    const { service, sent, failureOf } = scriptedClient([json(400, { code: 'out_of_range', message: 'amount' })]);
    const error = await failureOf(service.createInvoice(withQr));
    assert.deepEqual([error.failure, error.code, qrTriesOf(sent)], ['refused', 'out_of_range', [true, false]]);
  });
  test('by 408 gets no other try without external_id, because it may have created the invoice', async () => {
    const anonymous: CreateInvoiceRequest = { amount: '1500.00', mode: 'TEST', qr: { generate: true } };
    const { service, sent, failureOf } = scriptedClient([refusesQr(json(408, ''))]);
    assert.equal((await failureOf(service.createInvoice(anonymous))).failure, 'ambiguous');
    assert.equal(sent.length, 1);
  });
  test('by 503 is repeated without a QR, although its Retry-After is beyond the deadline', async () => {
    const refusal = json(503, { code: 'internal', message: 'QR' }, { 'retry-after': '60' });
    const { service, sent, time } = scriptedClient([refusesQr(refusal)]);
    assert.equal((await time.value(service.createInvoice(withQr))).id, 'inv_1');
    assert.deepEqual(qrTriesOf(sent), [true, false]);
  });
});

test('an outage costs 20 creates with a QR one more try each, and a tenth of those after them', async () => {
  const { service, sent, failureOf } = scriptedClient([json(503, '')], { budget: { perCall: 0, reserve: 0 } });
  for (let payer = 0; payer < 220; payer += 1) await failureOf(service.createInvoice(withQr));
  assert.ok(sent.length <= 220 + 20 + 22, `${sent.length} requests`);
});
