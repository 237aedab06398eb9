import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore } from '../../../src/server.ts';
import { settle } from '../../support/fake-clock.ts';
import { card } from '../../support/fake-invoice-service.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

test('a create commits the attempt before the call of the service, and the invoice before the response with 201', async () => {
  const events: string[] = [];
  const store = createMemoryStore();
  const save = store.save.bind(store);
  store.save = async (record, outcomes) => {
    await settle(); // a commit takes a while
    const isSaved = await save(record, outcomes);
    events.push(`commit ${record.attempts.map(({ state }) => state).join()}`);
    return isSaved;
  };
  const harness = await TestCheckoutServer.open({}, { store });
  const create = harness.service.createInvoice.bind(harness.service);
  harness.service.createInvoice = (request) => {
    events.push('call');
    return create(request);
  };
  const { status, checkout } = await harness.createInvoice();
  events.push('response');
  assert.deepEqual(events, ['commit creating', 'call', 'commit live', 'response']);
  assert.equal(status, 201);
  assert.equal(checkout.status, 'pending');
  assert.equal(checkout.invoice?.id, 'inv_1');
  assert.deepEqual(checkout.options, []);
  const [attempt] = await harness.loadInvoices();
  assert.equal(attempt?.invoice.id, 'inv_1');
});

test('fifty concurrent creates for one method create one invoice', async () => {
  const harness = await TestCheckoutServer.open();
  const responses = await Promise.all(
    Array.from({ length: 50 }, (_, n) => harness.createInvoice({ key: `key-${n % 25}` })),
  );
  assert.equal(harness.service.createRequests.length, 1);
  assert.deepEqual(new Set(responses.map(({ checkout }) => checkout.invoice?.id)), new Set(['inv_1']));
  assert.equal(responses.filter(({ status }) => status === 201).length, 1);
  assert.equal(responses.filter(({ status }) => status === 200).length, 49);
});

test('a create that the service certainly did not process is answered with 503, and its repeat with the same key is a new attempt', async () => {
  const harness = await TestCheckoutServer.open();
  harness.service.createFaults.push({ kind: 'fails', failure: 'unavailable' });
  const refusedResponse = await harness.createInvoice();
  assert.equal(refusedResponse.status, 503);
  assert.equal(refusedResponse.problem.code, 'try_again');
  assert.match(refusedResponse.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal((await harness.getCheckout()).checkout.status, 'open');
  assert.equal((await harness.createInvoice()).status, 201);
  const externalIds = harness.service.createRequests.map(({ external_id }) => external_id);
  assert.equal(new Set(externalIds).size, 2, 'a rejected attempt is not repeated');
});

test('a create with replace that the service does not process leaves the existing invoice in place', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  harness.service.createFaults.push({ kind: 'fails', failure: 'unavailable' });
  assert.equal((await harness.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true })).status, 503);
  const { checkout } = await harness.getCheckout();
  assert.equal(checkout.invoice?.id, 'inv_1');
  assert.equal(checkout.status, 'pending');
});

for (const [code, problemCode, status] of [
  ['out_of_range', 'amount_out_of_limits', 422],
  ['failed_precondition', 'method_unavailable', 422],
  ['not_found', 'method_unavailable', 422],
  ['invalid_argument', 'try_again', 503],
  ['unauthenticated', 'try_again', 503],
] as const)
  test(`a create that the service refuses with ${code} is answered with ${status} ${problemCode}`, async () => {
    const harness = await TestCheckoutServer.open();
    harness.service.createFaults.push({ kind: 'fails', failure: 'refused', code, httpStatus: 400 });
    const response = await harness.createInvoice();
    assert.equal(response.status, status);
    assert.equal(response.problem.code, problemCode);
    assert.equal(response.problem.max_amount, code === 'out_of_range' ? '100000.00' : undefined);
  });

const unavailableOption = { ...card, available: false };
const optionBelowAmount = { ...card, limits: { min_amount: '10.00', max_amount: '1499.99' } };
const optionOfExactAmount = { ...card, limits: { min_amount: '1500', max_amount: '1500.000' } };
for (const [title, options, expected] of [
  ['is unavailable', [unavailableOption], 'method_unavailable'],
  ['does not exist', [], 'method_unavailable'],
  ['has a maximum below the amount by the last digit', [optionBelowAmount], 'amount_out_of_limits'],
  ['has limits that equal the amount', [optionOfExactAmount], undefined],
] as const)
  test(`a create with a method that ${title} is answered with ${expected ?? 'an invoice'}`, async () => {
    const harness = await TestCheckoutServer.open();
    harness.service.options = options;
    const response = await harness.createInvoice();
    if (expected === undefined) assert.equal(response.status, 201);
    else {
      assert.equal(response.status, 422);
      assert.equal(response.problem.code, expected);
      assert.equal(response.problem.max_amount, expected === 'amount_out_of_limits' ? '1499.99' : undefined);
      assert.equal(harness.service.createRequests.length, 0);
      assert.equal((await harness.loadAttempts()).length, 0);
    }
  });

test('a create is answered with 503 when the payment options are unknown', async () => {
  const harness = await TestCheckoutServer.open();
  harness.service.outage = { kind: 'fails', failure: 'unavailable' };
  const { status, problem } = await harness.createInvoice();
  assert.equal(status, 503);
  assert.equal(problem.code, 'try_again');
});
