import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore } from '../../../src/server.ts';
import { settle } from '../../support/fake-clock.ts';
import { card } from '../../support/fake-invoice-service.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

test('commits the intent before the call, and the invoice before it answers 201', async () => {
  const events: string[] = [];
  const store = createMemoryStore();
  const save = store.save.bind(store);
  store.save = async (record, outcomes) => {
    await settle(); // a commit takes a while
    const isSaved = await save(record, outcomes);
    events.push(`commit ${record.attempts.map(({ stage }) => stage).join()}`);
    return isSaved;
  };
  const harness = await TestCheckoutServer.open({}, { store });
  const create = harness.service.createInvoice.bind(harness.service);
  harness.service.createInvoice = (request) => {
    events.push('call');
    return create(request);
  };
  const { status, checkout } = await harness.createInvoice();
  events.push('answer');
  assert.deepEqual(events, ['commit creating', 'call', 'commit created', 'answer']);
  assert.equal(status, 201);
  assert.equal(checkout.status, 'pending');
  assert.equal(checkout.invoice?.id, 'inv_1');
  assert.deepEqual(checkout.options, []);
  const [attempt] = await harness.loadAttempts();
  assert.equal(attempt?.invoice?.id, 'inv_1');
});

test('sends the service exactly the values of the order', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  const { hookSecret } = await harness.loadRecord();
  const [request] = harness.service.created;
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

test('the browser cannot set the price', async () => {
  const harness = await TestCheckoutServer.open();
  const { checkout } = await harness.createInvoice({ amount: '1.00' });
  assert.equal(harness.service.created[0]?.amount, '1500.00');
  assert.equal(checkout.invoice?.amount, '1500.00');
});

test('answers 200 with the same invoice to the same key, and to the same method under another key', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  for (const key of ['key-1', 'key-2', 'key-2']) {
    const { status, checkout } = await harness.createInvoice({ key });
    assert.equal(status, 200);
    assert.equal(checkout.invoice?.id, 'inv_1');
  }
  assert.equal(harness.service.created.length, 1);
});

test('rejects an idempotency key that was used with another body', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  for (const other of [{ method: 'pm_sbp' }, { replace: true }, { amount: '1.00' }]) {
    const { status, problem } = await harness.createInvoice(other);
    assert.equal(status, 409);
    assert.equal(problem.code, 'idempotency_mismatch');
  }
});

test('rejects another method while an invoice may be paid, and creates it with replace', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  const refused = await harness.createInvoice({ key: 'key-2', method: 'pm_sbp' });
  assert.equal(refused.status, 409);
  assert.equal(refused.problem.code, 'invoice_pending');
  const { status, checkout } = await harness.createInvoice({ key: 'key-3', method: 'pm_sbp', replace: true });
  assert.equal(status, 201);
  assert.equal(checkout.invoice?.id, 'inv_2');
  assert.deepEqual(
    (await harness.loadAttempts()).map(({ replaced, runAt }) => [replaced, runAt !== null]),
    [
      [true, true],
      [false, true],
    ],
  );
});

test('a paid replaced invoice makes the checkout paid; a second payment is a duplicate payment', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  await harness.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true });
  harness.service.setStatus('PAID', 'inv_1');
  await harness.advance(15_000);
  const { checkout } = await harness.getCheckout();
  assert.equal(checkout.status, 'paid');
  assert.equal(checkout.invoice?.id, 'inv_1');
  const again = await harness.createInvoice({ key: 'key-3' });
  assert.equal(again.problem.code, 'already_paid');
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

test('concurrent requests create one invoice', async () => {
  const harness = await TestCheckoutServer.open();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => harness.createInvoice({ key: `key-${n % 25}` })),
  );
  assert.equal(harness.service.created.length, 1);
  assert.deepEqual(new Set(answers.map(({ checkout }) => checkout.invoice?.id)), new Set(['inv_1']));
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  assert.equal(answers.filter(({ status }) => status === 200).length, 49);
});

test('concurrent requests for different methods create one invoice; the others get invoice_pending', async () => {
  const harness = await TestCheckoutServer.open();
  const answers = await Promise.all([
    harness.createInvoice(),
    harness.createInvoice({ key: 'key-2', method: 'pm_sbp' }),
  ]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
  assert.equal(harness.service.created.length, 1);
});

test('answers 503 when the service certainly did nothing; the same key then makes a new call', async () => {
  const harness = await TestCheckoutServer.open();
  harness.service.createFaults.push({ kind: 'fails', failure: 'unavailable' });
  const refused = await harness.createInvoice();
  assert.equal(refused.status, 503);
  assert.equal(refused.problem.code, 'try_again');
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal((await harness.getCheckout()).checkout.status, 'open');
  assert.equal((await harness.createInvoice()).status, 201);
  const externalIds = harness.service.created.map(({ external_id }) => external_id);
  assert.equal(new Set(externalIds).size, 2, 'a rejected attempt is not repeated');
});

test('a rejected replacement leaves the existing invoice', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  harness.service.createFaults.push({ kind: 'fails', failure: 'unavailable' });
  assert.equal((await harness.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true })).status, 503);
  const { checkout } = await harness.getCheckout();
  assert.equal(checkout.invoice?.id, 'inv_1');
  assert.equal(checkout.status, 'pending');
  assert.equal((await harness.loadAttempts())[0]?.replaced, false);
});

for (const [code, problemCode, status] of [
  ['out_of_range', 'amount_out_of_limits', 422],
  ['failed_precondition', 'method_unavailable', 422],
  ['not_found', 'method_unavailable', 422],
  ['invalid_argument', 'try_again', 503],
  ['unauthenticated', 'try_again', 503],
] as const)
  test(`the service's refusal ${code} becomes ${problemCode}`, async () => {
    const harness = await TestCheckoutServer.open();
    harness.service.createFaults.push({ kind: 'fails', failure: 'refused', code, httpStatus: 400 });
    const answer = await harness.createInvoice();
    assert.equal(answer.status, status);
    assert.equal(answer.problem.code, problemCode);
    assert.equal(answer.problem.max_amount, code === 'out_of_range' ? '100000.00' : undefined);
  });

const unavailable = { ...card, available: false };
const narrow = { ...card, limits: { min_amount: '10.00', max_amount: '1499.99' } };
const exact = { ...card, limits: { min_amount: '1500', max_amount: '1500.000' } };
for (const [title, options, expected] of [
  ['is unavailable', [unavailable], 'method_unavailable'],
  ['does not exist', [], 'method_unavailable'],
  ['has a maximum below the amount by the last digit', [narrow], 'amount_out_of_limits'],
  ['has limits that equal the amount', [exact], undefined],
] as const)
  test(`a create with a method that ${title} is answered with ${expected ?? 'an invoice'}`, async () => {
    const harness = await TestCheckoutServer.open();
    harness.service.options = options;
    const answer = await harness.createInvoice();
    if (expected === undefined) assert.equal(answer.status, 201);
    else {
      assert.equal(answer.status, 422);
      assert.equal(answer.problem.code, expected);
      assert.equal(answer.problem.max_amount, expected === 'amount_out_of_limits' ? '1499.99' : undefined);
      assert.equal(harness.service.created.length, 0);
      assert.equal((await harness.loadAttempts()).length, 0);
    }
  });

test('answers 503 when no payment options are known', async () => {
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
  const missing = await harness.createInvoice();
  assert.equal(missing.status, 422);
  assert.deepEqual(
    { ...missing.problem, title: '' },
    { type: 'about:blank', title: '', status: 422, code: 'amount_required', ...limits },
  );
  for (const amount of ['99.99', '5000.01', '5000.000000000000000000000000000001', '0', '-100'])
    assert.equal((await harness.createInvoice({ key: amount, amount })).problem.code, 'amount_out_of_limits', amount);
  for (const amount of ['1e3', '1,5', ' 100', '١٠٠', '', '+5'])
    assert.equal((await harness.createInvoice({ key: 'bad', amount })).problem.detail?.split(':')[0], 'amount', amount);
  const made = await harness.createInvoice({ key: 'good', amount: '100.0' });
  assert.equal(made.status, 201);
  assert.equal(made.checkout.amount, null);
  assert.equal(made.checkout.invoice?.amount, '100.0');
  assert.equal((await harness.createInvoice({ key: 'other', amount: '200' })).problem.code, 'invoice_pending');
  assert.equal(
    (await harness.createInvoice({ key: 'more', amount: '200', replace: true })).checkout.invoice?.amount,
    '200',
  );
});

for (const [extra, kind] of [
  [{ amount: '1500.01' }, 'amount_mismatch'],
  [{ amount: '150000' }, 'amount_mismatch'],
  [{ external_id: 'of somebody else' }, 'paid'],
] as const)
  test(`an invoice with ${JSON.stringify(extra)} is never shown, but is polled`, async () => {
    const harness = await TestCheckoutServer.open();
    harness.service.extra = extra;
    const refused = await harness.createInvoice();
    assert.equal(refused.status, 503);
    assert.equal(refused.problem.code, 'try_again');
    assert.ok(harness.logEntries.some(({ level, event }) => level === 'error' && event === 'create_not_shown'));
    assert.equal((await harness.getCheckout()).checkout.status, 'open');
    harness.service.extra = {};
    const { checkout } = await harness.createInvoice();
    assert.equal(checkout.invoice?.id, 'inv_2');
    harness.service.setStatus('PAID', 'inv_1');
    await harness.advance(30_000);
    const paid = (await harness.getCheckout()).checkout;
    assert.equal(paid.status, kind === 'paid' ? 'paid' : 'pending');
    assert.equal(paid.invoice?.sbp, undefined, 'never shown');
    if (kind === 'paid') assert.equal(paid.invoice, null, 'never shown');
    assert.deepEqual(
      harness.outcomes.map((outcome) => [outcome.kind, outcome.invoiceId]),
      [[kind, 'inv_1']],
    );
  });

test('an amount in another notation is the same amount', async () => {
  const harness = await TestCheckoutServer.open();
  harness.service.extra = { amount: '1500' };
  const { status, checkout } = await harness.createInvoice();
  assert.equal(status, 201);
  assert.equal(checkout.invoice?.amount, '1500');
});
