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

test('a create sends the service exactly the values of the order', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  const { hookSecret } = await harness.loadRecord();
  const [request] = harness.service.createRequests;
  assert.match(request?.external_id ?? '', /^att_[\w-]{24}$/);
  assert.deepEqual(request, {
    amount: '1500.00',
    external_id: request?.external_id,
    payment_method_id: 'pm_card',
    mode: 'TEST',
    url_config: {
      hook_url: `https://shop.example/checkout/hook/b3JkZXItMQ/${hookSecret}`,
      success_url: 'https://shop.example/thanks',
    },
    metadata: { order_id: 'order-1' },
  });
});

test('a create ignores an amount of the browser when the order has an amount', async () => {
  const harness = await TestCheckoutServer.open();
  const { checkout } = await harness.createInvoice({ amount: '1.00' });
  assert.equal(harness.service.createRequests[0]?.amount, '1500.00');
  assert.equal(checkout.invoice?.amount, '1500.00');
});

test('a repeat with the same key, or with another key for the same method, is answered with 200 and the existing invoice', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  for (const key of ['key-1', 'key-2', 'key-2']) {
    const { status, checkout } = await harness.createInvoice({ key });
    assert.equal(status, 200);
    assert.equal(checkout.invoice?.id, 'inv_1');
  }
  assert.equal(harness.service.createRequests.length, 1);
});

test('an idempotency key that was used with another body is answered with idempotency_mismatch', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  for (const other of [{ method: 'pm_sbp' }, { replace: true }, { amount: '1.00' }]) {
    const { status, problem } = await harness.createInvoice(other);
    assert.equal(status, 409);
    assert.equal(problem.code, 'idempotency_mismatch');
  }
});

test('a create for another method while an invoice can be paid is answered with invoice_pending, and with replace with a new invoice', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  const refusedResponse = await harness.createInvoice({ key: 'key-2', method: 'pm_sbp' });
  assert.equal(refusedResponse.status, 409);
  assert.equal(refusedResponse.problem.code, 'invoice_pending');
  const { status, checkout } = await harness.createInvoice({ key: 'key-3', method: 'pm_sbp', replace: true });
  assert.equal(status, 201);
  assert.equal(checkout.invoice?.id, 'inv_2');
  assert.deepEqual(
    (await harness.loadAttempts()).map(({ runAt }) => runAt !== null),
    [true, true],
  );
});

test('a payment of a replaced invoice makes the checkout paid, and a payment of the newer invoice is a duplicate_payment', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  await harness.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true });
  harness.service.setStatus('PAID', 'inv_1');
  await harness.advance(15_000);
  const { checkout } = await harness.getCheckout();
  assert.equal(checkout.status, 'paid');
  assert.equal(checkout.invoice?.id, 'inv_1');
  assert.equal((await harness.createInvoice({ key: 'key-3' })).problem.code, 'already_paid');
  harness.service.setStatus('PAID', 'inv_2');
  await harness.advance(60_000);
  assert.deepEqual(
    harness.outcomes.map(({ kind, invoiceId }) => [kind, invoiceId]),
    [
      ['paid', 'inv_1'],
      ['duplicate_payment', 'inv_2'],
    ],
  );
  assert.equal((await harness.getCheckout()).checkout.invoice?.id, 'inv_1');
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

test('concurrent creates for two methods create one invoice, and one create is answered with 409', async () => {
  const harness = await TestCheckoutServer.open();
  const responses = await Promise.all([
    harness.createInvoice(),
    harness.createInvoice({ key: 'key-2', method: 'pm_sbp' }),
  ]);
  assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 409]);
  assert.equal(harness.service.createRequests.length, 1);
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
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
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

test('an amount that the payer types is required, and checked exactly against the limits', async () => {
  const limits = { min_amount: '100.00', max_amount: '5000.00' };
  const harness = await TestCheckoutServer.open({
    amount: null,
    amountLimits: { minAmount: '100.00', maxAmount: '5000.00' },
  });
  const responseWithoutAmount = await harness.createInvoice();
  assert.equal(responseWithoutAmount.status, 422);
  assert.deepEqual(
    { ...responseWithoutAmount.problem, title: '' },
    { type: 'about:blank', title: '', status: 422, code: 'amount_required', ...limits },
  );
  for (const amount of ['99.99', '5000.01', '0', '-100'])
    assert.equal((await harness.createInvoice({ key: amount, amount })).problem.code, 'amount_out_of_limits', amount);
  for (const amount of ['1e3', '1,5', ' 100', '١٠٠', '', '+5', '100.001'])
    assert.equal((await harness.createInvoice({ key: 'bad', amount })).problem.detail?.split(':')[0], 'amount', amount);
  const createdResponse = await harness.createInvoice({ key: 'good', amount: '100.0' });
  assert.equal(createdResponse.status, 201);
  assert.equal(createdResponse.checkout.amount, null);
  assert.equal(createdResponse.checkout.invoice?.amount, '100.0');
  assert.equal((await harness.createInvoice({ key: 'other', amount: '200' })).problem.code, 'invoice_pending');
  assert.equal(
    (await harness.createInvoice({ key: 'more', amount: '200', replace: true })).checkout.invoice?.amount,
    '200',
  );
});

for (const [invoiceChanges, kind] of [
  [{ amount: '1500.01' }, 'amount_mismatch'],
  [{ amount: '150000' }, 'amount_mismatch'],
] as const)
  test(`an invoice with ${JSON.stringify(invoiceChanges)} is never shown, but its status is polled`, async () => {
    const harness = await TestCheckoutServer.open();
    harness.service.invoiceChanges = invoiceChanges;
    const refusedResponse = await harness.createInvoice();
    assert.equal(refusedResponse.status, 422);
    assert.equal(refusedResponse.problem.code, 'method_unavailable');
    assert.ok(harness.logEntries.some(({ level, event }) => level === 'error' && event === 'create_not_shown'));
    assert.equal((await harness.getCheckout()).checkout.status, 'open');
    harness.service.invoiceChanges = {};
    const { checkout } = await harness.createInvoice({ key: 'key-2' });
    assert.equal(checkout.invoice?.id, 'inv_2');
    harness.service.setStatus('PAID', 'inv_1');
    await harness.advance(30_000);
    const afterPayment = (await harness.getCheckout()).checkout;
    assert.equal(afterPayment.status, 'pending');
    assert.equal(afterPayment.invoice?.sbp, undefined, 'the invoice inv_1 is never shown');
    assert.deepEqual(
      harness.outcomes.map((outcome) => [outcome.kind, outcome.invoiceId]),
      [[kind, 'inv_1']],
    );
  });

test('an invoice with the requested amount in another notation is shown', async () => {
  const harness = await TestCheckoutServer.open();
  harness.service.invoiceChanges = { amount: '1500' };
  const { status, checkout } = await harness.createInvoice();
  assert.equal(status, 201);
  assert.equal(checkout.invoice?.amount, '1500');
});
