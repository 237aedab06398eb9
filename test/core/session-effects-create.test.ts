import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError } from '../../src/core.ts';
import { createInvoiceCreator } from '../../src/core/session-effects.ts';
import type { CreateAnswer } from '../../src/core/session-ports.ts';
import { makeCheckout } from '../support/checkout-responses.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';
import { Deferred } from '../support/fake-transport.ts';

/** An invoice creator over a transport that ignores abort signals, the responses to its requests, and what it reports. */
function createTestCreator() {
  const clock = new FakeClock();
  const responses: Deferred<CreateAnswer>[] = [];
  const reports: string[] = [];
  const send = createInvoiceCreator(
    {
      transport: {
        read: () => Promise.reject(new Error('no read expected')),
        createInvoice() {
          const response = new Deferred<CreateAnswer>();
          responses.push(response);
          return response.promise;
        },
      },
      clock,
      random: () => 0.5,
    },
    ({ kind }) => reports.push(kind),
    ({ code }, rejected) => reports.push(`${rejected ? 'rejected' : 'in doubt'} ${code}`),
  );
  const makePendingCreate = (key: string, inDoubt = false) => ({
    request: { key, payment_method_id: 'pm_card' },
    previousInvoiceId: '',
    since: 0,
    inDoubt,
  });
  return { clock, responses, reports, send, makePendingCreate };
}

describe('the result of a create request that another request has replaced', () => {
  for (const [name, settleRequest] of [
    [
      'an invoice',
      (response: Deferred<CreateAnswer>) => response.resolve({ kind: 'created', checkout: makeCheckout('pending') }),
    ],
    ['a rejection', (response: Deferred<CreateAnswer>) => response.reject(new CheckoutError('method_unavailable', ''))],
    ['a network error', (response: Deferred<CreateAnswer>) => response.reject(new CheckoutError('network', ''))],
  ] as const)
    it(`is not reported when it is ${name}`, async () => {
      const { clock, responses, reports, send, makePendingCreate } = createTestCreator();
      send(makePendingCreate('key_1'));
      send(makePendingCreate('key_2'));
      responses.slice(0, 1).forEach(settleRequest);
      await settle();
      assert.deepEqual(reports, []);
      assert.equal(clock.pending, 0);
      assert.equal(responses.length, 2);
    });
});

describe('a create request', () => {
  it('is not repeated after its response with an invoice', async () => {
    const { clock, responses, reports, send, makePendingCreate } = createTestCreator();
    send(makePendingCreate('key_1'));
    responses[0]?.resolve({ kind: 'created', checkout: makeCheckout('pending') });
    await settle();
    assert.deepEqual(reports, ['created']);
    assert.equal(clock.pending, 0);
  });
});

describe('a create request that was in doubt before', () => {
  for (const code of ['try_again', 'rate_limited'] as const)
    it(`is not rejected by ${code} when it is repeated`, async () => {
      const { responses, reports, send, makePendingCreate } = createTestCreator();
      send(makePendingCreate('key_1', true));
      responses[0]?.reject(new CheckoutError(code, ''));
      await settle();
      assert.deepEqual(reports, [`in doubt ${code}`]);
    });
});
