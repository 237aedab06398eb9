import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { CreateInvoiceRequest } from '../../../src/service-api.ts';
import {
  createdInvoice,
  networkError,
  hang,
  json,
  scriptedClient,
  type ScriptedResponse,
} from '../../support/scripted-service-client.ts';

const requestWithoutExternalId: CreateInvoiceRequest = { amount: '1500.00', mode: 'TEST' };
const request: CreateInvoiceRequest = { ...requestWithoutExternalId, external_id: 'att_1' };
const success = json(200, createdInvoice);

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
  for (const [name, response] of ambiguousResponses) {
    test(`is repeated with the same body after ${name}, and the invoice is returned`, async () => {
      const { service, sentRequests, clock } = scriptedClient([response, success]);
      assert.equal((await clock.value(service.createInvoice(request))).id, 'inv_1');
      assert.equal(sentRequests.length, 2);
      assert.equal(sentRequests[1]?.text, sentRequests[0]?.text);
    });
    test(`stays in doubt when all tries end with ${name}, and is not repeated without external_id`, async () => {
      for (const [body, tries] of [
        [request, 3],
        [requestWithoutExternalId, 1],
      ] as const) {
        const { service, sentRequests, failureOf, clock } = scriptedClient([response]);
        assert.equal((await failureOf(service.createInvoice(body))).failure, 'ambiguous');
        assert.deepEqual([sentRequests.length, clock.pending], [tries, 0]);
      }
    });
  }

  const laterResponses: readonly (readonly [string, ScriptedResponse])[] = [
    ['a refusal', json(400, { code: 'invalid_argument' })],
    ['no connection', networkError('ECONNREFUSED', 'connect')],
    ['429', json(429, {})],
  ];
  for (const [name, response] of laterResponses)
    test(`stays in doubt when a later try ends with ${name}`, async () => {
      const { service, failureOf } = scriptedClient([networkError('ECONNRESET'), response]);
      assert.equal((await failureOf(service.createInvoice(request))).failure, 'ambiguous');
    });
  test('whose repeat is refused with already_exists fails with that code, and is not repeated again', async () => {
    const { service, sentRequests, failureOf } = scriptedClient([json(504, ''), json(409, { code: 'already_exists' })]);
    const error = await failureOf(service.createInvoice(request));
    assert.deepEqual(
      [error.failure, error.code, error.isOwnCode, error.httpStatus, sentRequests.length],
      ['ambiguous', 'already_exists', true, 409, 2],
    );
  });
});

suite('a create that the service has certainly not processed', () => {
  for (const [code, syscall] of [
    ['ECONNREFUSED', 'connect'],
    ['EAI_AGAIN', 'getaddrinfo'],
    ['ETIMEDOUT', 'connect'],
  ] as const)
    test(`is unavailable after ${code} in ${syscall}, and is repeated even without external_id`, async () => {
      const { service, sentRequests, failureOf } = scriptedClient([networkError(code, syscall)]);
      assert.equal((await failureOf(service.createInvoice(requestWithoutExternalId))).failure, 'unavailable');
      assert.equal(sentRequests.length, 3);
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
    test(`is repeated after ${name}, and is unavailable, not in doubt, when all tries end so`, async () => {
      const { service, sentRequests, clock } = scriptedClient([failure, json(200, {})]);
      assert.deepEqual(await clock.value(service.fetchPaymentOptions('1')), []);
      assert.equal(sentRequests.length, 2);
      const broken = scriptedClient([failure]);
      assert.equal((await broken.failureOf(broken.service.fetchInvoices(['inv_1']))).failure, 'unavailable');
    });
  test('has three tries for options, and one for invoices, which the status poller fetches again anyway', async () => {
    const { service, sentRequests, failureOf } = scriptedClient([json(500, '')]);
    await failureOf(service.fetchPaymentOptions('1'));
    assert.equal(sentRequests.length, 3);
    await failureOf(service.fetchInvoices(['inv_1']));
    assert.equal(sentRequests.length, 4);
  });
});

suite('the error of a call names the operation, the result and the number of tries', () => {
  for (const { response, message } of [
    { response: json(401, {}), message: 'FetchInvoices is refused after 1 try: unauthenticated, HTTP 401' },
    { response: hang, message: 'FetchInvoices is unavailable after 1 try: deadline_exceeded, no answer, timeout' },
    {
      response: networkError('ECONNRESET'),
      message: 'FetchInvoices is unavailable after 1 try: unavailable, no answer, connection_lost (ECONNRESET)',
    },
    {
      response: json(200, '<html>'),
      message: 'FetchInvoices is unavailable after 1 try: data_loss, HTTP 200, unreadable (not_json)',
    },
  ] satisfies readonly { readonly response: ScriptedResponse; readonly message: string }[])
    test(message, async () => {
      const { service, failureOf } = scriptedClient([response]);
      assert.equal((await failureOf(service.fetchInvoices(['inv_1']))).message, message);
    });
});

/** So high that only the retry budget limits the repeats in tests with hundreds of concurrent calls. */
const requestsPerSecond = { CreateInvoice: 100_000, FetchPaymentOptions: 100_000, FetchInvoices: 100_000 };

suite('an outage', () => {
  const outages: readonly (readonly [string, ScriptedResponse])[] = [
    ['refused connections', networkError('ECONNREFUSED', 'connect')],
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
});
