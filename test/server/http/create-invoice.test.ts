import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore } from '../../../src/server.ts';
import { settle } from '../../support/fake-clock.ts';
import { card } from '../../support/fake-invoice-service.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

test('a create loads once, commits the attempt before the call of the service, and the invoice before the 201', async () => {
  const events: string[] = [];
  const store = createMemoryStore();
  const load = store.load.bind(store);
  const save = store.save.bind(store);
  store.load = (...args) => {
    events.push('load');
    return load(...args);
  };
  store.save = async (record, outcomes) => {
    await settle(); // a commit takes a while
    const isSaved = await save(record, outcomes);
    events.push(`commit ${record.attempts.map(({ state }) => state).join()}`);
    return isSaved;
  };
  const harness = new TestCheckoutServer({ store });
  harness.id = await harness.createCheckout();
  const create = harness.service.createInvoice.bind(harness.service);
  harness.service.createInvoice = (request) => {
    events.push('call');
    return create(request);
  };
  assert.equal((await harness.createInvoice()).status, 201);
  assert.deepEqual(events, ['load', 'commit creating', 'call', 'commit live']);
  assert.equal((await harness.createInvoice()).status, 200);
  assert.deepEqual(events.slice(4), ['load'], 'a repeat saves nothing');
});

test('a create with replace that the service does not process leaves the existing invoice in place', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  const fault = { kind: 'fails', failure: 'unavailable' } as const;
  harness.service.createFaults.push(fault, fault);
  assert.equal((await harness.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true })).status, 202);
  await harness.advance(2000); // it is repeated once
  const { checkout } = await harness.getCheckout();
  assert.equal(checkout.invoice?.id, 'inv_1');
  assert.equal(checkout.status, 'pending');
});

test('a create that the service refuses with out_of_range is answered with the limits of the method', async () => {
  const harness = await TestCheckoutServer.open();
  harness.service.createFaults.push({ kind: 'fails', failure: 'refused', code: 'out_of_range', httpStatus: 400 });
  const { status, problem } = await harness.createInvoice();
  assert.deepEqual([status, problem.code, problem.max_amount], [422, 'amount_out_of_limits', '100000.00']);
});

for (const [title, options, expected] of [
  ['is unavailable', [{ ...card, available: false }], 'method_unavailable'],
  [
    'has a maximum below the amount by the last digit',
    [{ ...card, limits: { max_amount: '1499.99' } }],
    'amount_out_of_limits',
  ],
  [
    'has limits that equal the amount',
    [{ ...card, limits: { min_amount: '1500', max_amount: '1500.000' } }],
    undefined,
  ],
] as const)
  test(`a create with a method that ${title} is answered with ${expected ?? 'an invoice'}`, async () => {
    const harness = await TestCheckoutServer.open();
    harness.service.options = options;
    const response = await harness.createInvoice();
    assert.equal(harness.service.createRequests.length, expected === undefined ? 1 : 0);
    if (expected === undefined) return;
    assert.equal(response.problem.code, expected);
    assert.equal(response.problem.max_amount, expected === 'amount_out_of_limits' ? '1499.99' : undefined);
    assert.deepEqual(await harness.loadAttempts(), []);
  });

test('a create is answered with 503 when the payment options are unknown', async () => {
  const harness = await TestCheckoutServer.open();
  harness.service.outage = { kind: 'fails', failure: 'unavailable' };
  const { status, problem } = await harness.createInvoice();
  assert.equal(status, 503);
  assert.equal(problem.code, 'try_again');
});
