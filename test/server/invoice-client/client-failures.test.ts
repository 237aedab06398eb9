import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { CreateInvoiceRequest } from '../../../src/service-api.ts';
import {
  networkError,
  hang,
  json,
  scriptedClient,
  type ScriptedResponse,
} from '../../support/scripted-service-client.ts';

const request: CreateInvoiceRequest = { amount: '1500.00', mode: 'TEST', external_id: 'att_1' };

suite('a create in doubt', () => {
  const ambiguousResponses: readonly (readonly [string, ScriptedResponse])[] = [
    ['a reset of the connection', networkError('ECONNRESET')],
    ['an error without a code', networkError('')],
    ['no response', hang],
    ['504', json(504, '')],
    ['a truncated response', json(200, '{"id":"inv_1","amo')],
    ['an invoice without an amount', json(200, { id: 'inv_1' })],
    ['a success without a body', () => new Response(null, { status: 204 })],
  ];
  for (const [name, response] of ambiguousResponses)
    test(`fails as ambiguous after ${name}, and is not sent again`, async () => {
      const { service, sentRequests, failureOf, clock } = scriptedClient([response]);
      assert.equal((await failureOf(service.createInvoice(request))).failure, 'ambiguous');
      assert.deepEqual([sentRequests.length, clock.pending], [1, 0]);
    });
  test('that the service knows already fails with already_exists', async () => {
    const { service, failureOf } = scriptedClient([json(409, { code: 'already_exists' })]);
    const { failure, code, isOwnCode, httpStatus } = await failureOf(service.createInvoice(request));
    assert.deepEqual([failure, code, isOwnCode, httpStatus], ['ambiguous', 'already_exists', true, 409]);
  });
});

suite('a create that the service has certainly not processed', () => {
  for (const [code, syscall] of [
    ['ECONNREFUSED', 'connect'],
    ['EAI_AGAIN', 'getaddrinfo'],
    ['ETIMEDOUT', 'connect'],
  ] as const)
    test(`is unavailable after ${code} in ${syscall}, and is not sent again`, async () => {
      const { service, sentRequests, failureOf } = scriptedClient([networkError(code, syscall)]);
      assert.equal((await failureOf(service.createInvoice(request))).failure, 'unavailable');
      assert.equal(sentRequests.length, 1);
    });
  for (const [codes, failure] of [
    [['connect', 'connect'], 'unavailable'],
    [['connect', 'read'], 'ambiguous'],
  ] as const)
    test(`is ${failure} when the addresses of the host name fail in ${codes.join(' and ')}`, async () => {
      const errors = codes.map((syscall) => Object.assign(new Error('x'), { code: 'ECONNRESET', syscall }));
      const { service, failureOf } = scriptedClient([
        () => {
          throw new TypeError('fetch failed', { cause: new AggregateError(errors) });
        },
      ]);
      assert.equal((await failureOf(service.createInvoice(request))).failure, failure);
    });
});

suite('a fetch of options or invoices', () => {
  for (const [name, failure] of [
    ['no response', hang],
    ['503', json(503, { code: 14 })],
    ['an object in the place of a list', json(200, { options: {}, invoices: {} })],
    ['200 with HTML', json(200, '<html>Welcome</html>')],
  ] as const)
    test(`is unavailable, not in doubt, after ${name}, and is not sent again`, async () => {
      const { service, sentRequests, failureOf } = scriptedClient([failure]);
      for (const call of [() => service.fetchPaymentOptions('1'), () => service.fetchInvoices(['inv_1'])])
        assert.equal((await failureOf(call())).failure, 'unavailable');
      assert.equal(sentRequests.length, 2);
    });
});

suite('the error of a call names the operation and the result', () => {
  for (const { response, message } of [
    { response: json(401, {}), message: 'FetchInvoices is refused: unauthenticated, HTTP 401' },
    { response: hang, message: 'FetchInvoices is unavailable: deadline_exceeded, no answer, timeout' },
    {
      response: networkError('ECONNRESET'),
      message: 'FetchInvoices is unavailable: unavailable, no answer, connection_lost (ECONNRESET)',
    },
    {
      response: json(200, '<html>'),
      message: 'FetchInvoices is unavailable: data_loss, HTTP 200, unreadable (not_json)',
    },
  ] satisfies readonly { readonly response: ScriptedResponse; readonly message: string }[])
    test(message, async () => {
      const { service, failureOf } = scriptedClient([response]);
      assert.equal((await failureOf(service.fetchInvoices(['inv_1']))).message, message);
    });
});
