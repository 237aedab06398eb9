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

const anonymous: CreateInvoiceRequest = { amount: '1500.00', mode: 'TEST' };
const request: CreateInvoiceRequest = { ...anonymous, external_id: 'att_1' };
const made = json(200, createdInvoice);
const cut: ScriptedResponse = json(200, '{"id":"inv_1","amo');
const html: ScriptedResponse = json(200, '<html>Welcome</html>');

suite('a create in doubt', () => {
  const doubts: readonly (readonly [string, ScriptedResponse])[] = [
    ['a reset', fails('ECONNRESET')],
    ['a socket that closes', fails('UND_ERR_SOCKET')],
    ['an error without a code', fails('')],
    ['silence', hang],
    ['504', json(504, '')],
    ['502', json(502, '<html>Bad Gateway</html>')],
    ['500', json(500, { code: 13 })],
    ['503 of a gateway', json(503, '<html>')],
    ['408', json(408, { code: 'deadline_exceeded' })],
    ['409 aborted', json(409, { code: 'aborted' })],
    ['an answer cut short', cut],
    ['HTML', html],
    ['an invoice without an amount', json(200, { id: 'inv_1' })],
    ['a success without a body', () => new Response(null, { status: 204 })],
  ];
  for (const [name, doubt] of doubts) {
    test(`is repeated with the same body after ${name}, and the invoice is returned`, async () => {
      const { service, sent, time } = scriptedClient([doubt, made]);
      assert.equal((await time.value(service.createInvoice(request))).id, 'inv_1');
      assert.equal(sent.length, 2);
      assert.equal(sent[1]?.text, sent[0]?.text);
    });
    test(`stays in doubt when all tries end with ${name}`, async () => {
      const { service, sent, failureOf, time } = scriptedClient([doubt]);
      assert.equal((await failureOf(service.createInvoice(request))).failure, 'ambiguous');
      assert.equal(sent.length, 3);
      assert.equal(time.pending, 0);
    });
    test(`without external_id is not repeated after ${name}`, async () => {
      const { service, sent, failureOf } = scriptedClient([doubt, made]);
      assert.equal((await failureOf(service.createInvoice(anonymous))).failure, 'ambiguous');
      assert.equal(sent.length, 1);
    });
  }

  const later: readonly (readonly [string, ScriptedResponse])[] = [
    ['already_exists', json(409, { code: 'already_exists' })],
    ['a refusal', json(400, { code: 'invalid_argument' })],
    ['a token that is refused', json(401, {})],
    ['no connection', fails('ECONNREFUSED', 'connect')],
    ['429', json(429, {})],
  ];
  for (const [name, answer] of later)
    test(`stays in doubt when a later try ends with ${name}`, async () => {
      const { service, failureOf } = scriptedClient([fails('ECONNRESET'), answer]);
      assert.equal((await failureOf(service.createInvoice(request))).failure, 'ambiguous');
    });
  test('reports that the external_id exists at the service, and is not repeated', async () => {
    const { service, sent, failureOf } = scriptedClient([json(504, ''), json(409, { code: 'already_exists' })]);
    const error = await failureOf(service.createInvoice(request));
    assert.deepEqual(
      [error.failure, error.code, error.isOwnCode, error.httpStatus, sent.length],
      ['ambiguous', 'already_exists', true, 409, 2],
    );
  });
});

suite('a create that was certainly not done', () => {
  const refusals = [400, 401, 403, 404, 405, 413, 415, 422, 501];
  for (const status of refusals)
    test(`is refused by ${status} and not repeated`, async () => {
      const { service, sent, failureOf } = scriptedClient([json(status, {})]);
      const error = await failureOf(service.createInvoice(request));
      assert.deepEqual([error.failure, error.isOwnCode, error.httpStatus, sent.length], ['refused', false, status, 1]);
    });
  const nothingSent = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'CERT_HAS_EXPIRED'];
  for (const code of nothingSent)
    test(`is unavailable after ${code}, and repeated without external_id too`, async () => {
      const { service, sent, failureOf } = scriptedClient([fails(code)]);
      assert.equal((await failureOf(service.createInvoice(anonymous))).failure, 'unavailable');
      assert.equal(sent.length, 3);
    });
  test('is unavailable after a timeout of connecting alone', async () => {
    const { service, failureOf } = scriptedClient([fails('ETIMEDOUT', 'connect')]);
    assert.equal((await failureOf(service.createInvoice(request))).failure, 'unavailable');
    const other = scriptedClient([fails('ETIMEDOUT', 'read')]);
    assert.equal((await other.failureOf(other.service.createInvoice(request))).failure, 'ambiguous');
  });
  for (const [codes, failure] of [
    [['ECONNREFUSED', 'EHOSTUNREACH'], 'unavailable'],
    [['ECONNREFUSED', 'ECONNRESET'], 'ambiguous'],
  ] as const)
    test(`is ${failure} when the addresses of a name end with ${codes.join(' and ')}`, async () => {
      const errors = codes.map((code) => Object.assign(new Error('x'), { code }));
      const { service, failureOf } = scriptedClient([
        () => {
          throw new TypeError('fetch failed', { cause: new AggregateError(errors) });
        },
      ]);
      assert.equal((await failureOf(service.createInvoice(request))).failure, failure);
    });
});

suite('a read', () => {
  const temporary: readonly (readonly [string, ScriptedResponse])[] = [
    ['a reset', fails('ECONNRESET')],
    ['silence', hang],
    ['500', json(500, '')],
    ['503', json(503, { code: 14 })],
    ['429', json(429, '')],
    ['an answer cut short', json(200, '{"options":[')],
    ['an object in the place of a list', json(200, { options: {}, invoices: {} })],
    ['HTML', html],
  ];
  for (const [name, failure] of temporary) {
    test(`is repeated after ${name}`, async () => {
      const { service, sent, time } = scriptedClient([failure, json(200, {})]);
      assert.deepEqual(await time.value(service.fetchPaymentOptions('1')), []);
      assert.equal(sent.length, 2);
    });
    test(`is unavailable, not in doubt, when all tries end with ${name}`, async () => {
      const { service, failureOf } = scriptedClient([failure]);
      assert.equal((await failureOf(service.fetchInvoices(['inv_1']))).failure, 'unavailable');
    });
  }
  for (const status of [400, 401, 403, 404])
    test(`is refused by ${status} and not repeated`, async () => {
      const { service, sent, failureOf } = scriptedClient([json(status, {})]);
      assert.equal((await failureOf(service.fetchInvoices(['inv_1']))).failure, 'refused');
      assert.equal(sent.length, 1);
    });
  test('has three tries for options and two for invoices, which the status poller fetches again anyway', async () => {
    const { service, sent, failureOf } = scriptedClient([json(500, '')]);
    await failureOf(service.fetchPaymentOptions('1'));
    assert.equal(sent.length, 3);
    await failureOf(service.fetchInvoices(['inv_1']));
    assert.equal(sent.length, 5);
  });
});
