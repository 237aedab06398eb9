import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type CreateInvoiceRequest } from '../../../src/service-api.ts';
import {
  networkError,
  hang,
  json,
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
