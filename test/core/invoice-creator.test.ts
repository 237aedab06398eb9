import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError } from '../../src/core.ts';
import { createInvoiceCreator } from '../../src/core/invoice-creator.ts';
import type { CreateAnswer } from '../../src/core/session-ports.ts';
import { makeCheckout } from '../support/checkout-responses.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';
import { Deferred } from '../support/fake-transport.ts';

/** An invoice creator over a transport that ignores abort signals, and what it reports. */
function testCreator() {
  const clock = new FakeClock();
  const creates: Deferred<CreateAnswer>[] = [];
  const reports: string[] = [];
  const send = createInvoiceCreator(
    {
      transport: {
        read: () => Promise.reject(new Error('no read expected')),
        createInvoice() {
          const create = new Deferred<CreateAnswer>();
          creates.push(create);
          return create.promise;
        },
      },
      clock,
      random: () => 0.5,
    },
    ({ kind }) => reports.push(kind),
    ({ code }, rejected) => reports.push(`${rejected ? 'rejected' : 'in doubt'} ${code}`),
  );
  const create = (key: string, inDoubt = false) => ({
    request: { key, payment_method_id: 'pm_card' },
    previousInvoiceId: '',
    inDoubt,
  });
  return { clock, creates, reports, send, create };
}

describe('the result of a cancelled create request', () => {
  for (const [name, end] of [
    [
      'an invoice',
      (late: Deferred<CreateAnswer>) => late.resolve({ kind: 'created', checkout: makeCheckout('pending') }),
    ],
    ['a rejection', (late: Deferred<CreateAnswer>) => late.reject(new CheckoutError('method_unavailable', ''))],
    ['a network error', (late: Deferred<CreateAnswer>) => late.reject(new CheckoutError('network', ''))],
  ] as const)
    it(`is not reported for the next request when it is ${name}`, async () => {
      const { clock, creates, reports, send, create } = testCreator();
      send(create('key_1'));
      send(create('key_2'));
      creates.slice(0, 1).forEach(end);
      await settle();
      assert.deepEqual(reports, []);
      assert.equal(clock.pending, 0);
      assert.equal(creates.length, 2);
    });
});

describe('a create request', () => {
  it('is not repeated after its invoice came', async () => {
    const { clock, creates, reports, send, create } = testCreator();
    send(create('key_1'));
    creates[0]?.resolve({ kind: 'created', checkout: makeCheckout('pending') });
    await settle();
    assert.deepEqual(reports, ['created']);
    assert.equal(clock.pending, 0);
  });
});

describe('a create request that was in doubt before', () => {
  for (const code of ['try_again', 'rate_limited'] as const)
    it(`is not rejected by ${code} when it is repeated`, async () => {
      const { creates, reports, send, create } = testCreator();
      send(create('key_1', true));
      creates[0]?.reject(new CheckoutError(code, ''));
      await settle();
      assert.deepEqual(reports, [`in doubt ${code}`]);
    });
});
