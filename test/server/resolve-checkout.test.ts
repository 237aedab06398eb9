import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CheckoutParamsError, type ResolveParams } from '../../src/server.ts';
import { settle } from '../support/fake-clock.ts';
import { endlessMs } from '../../src/server/domain/fetch-decisions.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';

// A person decides about a payment that the server cannot judge.

/** Each way to a payment that nobody but a person can judge. */
const undecided: Readonly<Record<string, (harness: TestCheckoutServer) => Promise<void>>> = {
  async amount_mismatch(harness) {
    await harness.createInvoice();
    harness.service.setFetchedAmount('1500.01');
    harness.service.setStatus('PAID');
    await harness.advance(30_000);
  },
  async create_unresolved(harness) {
    harness.service.createOutage = { kind: 'lost' };
    await harness.createInvoice();
    harness.fakeClock.stall(86_400_000);
    await harness.advance(20_000);
    harness.service.createOutage = undefined;
  },
  async invoice_unresolved(harness) {
    await harness.createInvoice();
    harness.service.setStatus('HELD_BY_BANK');
    harness.fakeClock.stall(endlessMs);
    await harness.advance(20_000);
  },
  async 'a status word in no list'(harness) {
    await harness.createInvoice();
    harness.service.setStatus('HELD_BY_BANK');
    await harness.advance(20_000);
  },
};

const decided = { note: 'the bank confirms, A. Ivanova' };

for (const [cause, prepare] of Object.entries(undecided)) {
  test(`${cause}, resolved as paid, pays the order, and the shop gets the decision and then paid`, async () => {
    const harness = await TestCheckoutServer.open();
    await prepare(harness);
    const { invoices = [] } = (await harness.server.get(harness.id)) ?? {};
    assert.equal(invoices[0]?.needsDecision, true);
    const told = harness.outcomes.length;
    const resolved = await harness.server.resolve(harness.id, { as: 'paid', ...decided });
    const at = Math.floor(harness.clock.now());
    await harness.advance(2000);
    assert.deepEqual([resolved.status, resolved.paidAt], ['paid', at]);
    assert.deepEqual(resolved.invoices[0]?.resolution, { as: 'paid', ...decided, at });
    assert.deepEqual(resolved.actions.at(-1), { at, action: 'resolve', target: resolved.invoices[0].externalId });
    const { kind, decision, note, occurredAt } = harness.outcomes[told] ?? assert.fail();
    assert.deepEqual([kind, decision, note, occurredAt], ['resolved', 'paid', decided.note, at]);
    const paid = harness.outcomes[told + 1] ?? assert.fail();
    assert.deepEqual([paid.kind, paid.decidedBy, paid.decision], ['paid', 'person', undefined]);
    const amount = cause === 'amount_mismatch' ? '1500.01' : '1500.00';
    assert.deepEqual([paid.amount, paid.expectedAmount], [amount, '1500.00']);
    assert.equal((await harness.getCheckout()).checkout.status, 'paid', "the payer's page follows");
    harness.service.setStatus('PAID');
    await harness.until(harness.server.check(harness.id));
    await harness.advance(20_000);
    assert.equal(harness.outcomes.length, told + 2, 'the payment is not told once more');
    const again = harness.server.resolve(harness.id, { as: 'void', ...decided });
    await assert.rejects(again, { name: 'CheckoutConflictError', code: 'nothing_to_resolve' });
  });

  test(`${cause}, resolved as void, pays nothing, and the payer may request another invoice`, async () => {
    const harness = await TestCheckoutServer.open();
    await prepare(harness);
    const resolved = await harness.server.resolve(harness.id, { as: 'void', ...decided });
    await harness.advance(1000);
    assert.deepEqual([resolved.status, resolved.paidAt], ['open', null]);
    const { kind, decision, note } = harness.outcomes.at(-1) ?? assert.fail();
    assert.deepEqual([kind, decision, note], ['resolved', 'void', decided.note]);
    assert.equal((await harness.until(harness.createInvoice({ key: 'another' }))).status, 201);
  });
}

test('a second payment that a person decides as paid is a duplicate payment, once', async () => {
  const harness = await TestCheckoutServer.open();
  await undecided['a status word in no list']?.(harness);
  await harness.until(harness.createInvoice({ key: 'second', method: 'pm_sbp', replace: true }));
  harness.service.setStatus('PAID', 'inv_2');
  await harness.advance(20_000);
  assert.deepEqual(harness.outcomeKinds(), ['paid']);
  await harness.server.resolve(harness.id, { as: 'paid', ...decided });
  await harness.advance(2000);
  const [, resolved, duplicate] = harness.outcomes;
  assert.deepEqual([resolved?.kind, resolved?.decision], ['resolved', 'paid']);
  assert.deepEqual(
    [duplicate?.kind, duplicate?.decidedBy, duplicate?.invoiceId],
    ['duplicate_payment', 'person', 'inv_1'],
  );
  harness.service.setStatus('PAID');
  await harness.until(harness.server.check(harness.id));
  await harness.advance(20_000);
  assert.equal(harness.outcomes.length, 3);
});

/** An order with two invoices; `amounts` came for them, in the order of the invoices. */
async function payTwice(first: string, second: string): Promise<TestCheckoutServer> {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  await harness.until(harness.createInvoice({ key: 'second', method: 'pm_sbp', replace: true }));
  for (const [id, amount] of [
    ['inv_1', first],
    ['inv_2', second],
  ] as const) {
    harness.service.setFetchedAmount(amount, id);
    harness.service.setStatus('PAID', id);
    await harness.until(harness.server.check(harness.id));
    await harness.advance(30_000);
  }
  return harness;
}

/** The invoices that need a decision, by `get`, and whether the operator's list has the checkout. */
async function undecidedOf(harness: TestCheckoutServer): Promise<readonly (string | null)[]> {
  const { invoices = [] } = (await harness.server.get(harness.id)) ?? {};
  const ids = invoices.filter(({ needsDecision }) => needsDecision).map(({ id }) => id);
  const { checkouts } = await harness.server.list({ needsDecision: true });
  assert.equal(checkouts.length, ids.length === 0 ? 0 : 1, 'the list and the checkout say the same');
  return ids;
}

for (const [second, kinds] of [
  ['paid', ['resolved', 'duplicate_payment']],
  ['void', ['resolved']],
] as const)
  test(`of two payments of a wrong amount each is decided by itself; the second as ${second}`, async () => {
    const harness = await payTwice('1400.00', '1600.00');
    assert.deepEqual(await undecidedOf(harness), ['inv_1', 'inv_2']);
    await harness.server.resolve(harness.id, { invoiceId: 'inv_1', as: 'paid', ...decided });
    assert.deepEqual(await undecidedOf(harness), ['inv_2']);
    await harness.advance(2000);
    assert.deepEqual(harness.outcomeKinds(), ['amount_mismatch', 'amount_mismatch', 'resolved', 'paid']);
    await harness.server.resolve(harness.id, { as: second, ...decided });
    await harness.advance(2000);
    assert.deepEqual(harness.outcomeKinds().slice(4), kinds);
    assert.deepEqual(await undecidedOf(harness), []);
  });

test('a payment of a wrong amount before or after the one that pays the order waits for its decision, and is told once', async () => {
  for (const [amounts, undecidedId, told] of [
    [['1400.00', '1500.00'], 'inv_1', ['amount_mismatch', 'paid', 'resolved', 'duplicate_payment']],
    [['1500.00', '1400.00'], 'inv_2', ['paid', 'duplicate_payment', 'resolved']],
  ] as const) {
    const harness = await payTwice(amounts[0], amounts[1]);
    assert.deepEqual(await undecidedOf(harness), [undecidedId]);
    await harness.server.resolve(harness.id, { as: 'paid', ...decided });
    await harness.advance(2000);
    assert.deepEqual(await undecidedOf(harness), []);
    assert.deepEqual(harness.outcomeKinds(), told);
  }
});

test('what came and is not decided is not purged', async () => {
  const harness = await payTwice('1500.00', '1400.00');
  const purge = (): Promise<number> => harness.until(harness.server.purge({ olderThan: harness.clock.now() }));
  await harness.advance(10_000);
  assert.equal(await purge(), 0);
  await harness.server.resolve(harness.id, { as: 'void', ...decided });
  await harness.advance(10_000);
  assert.equal(await purge(), 1);
});

test('a payment after void is told as paid, because the money has come after all', async () => {
  const harness = await TestCheckoutServer.open();
  await undecided['a status word in no list']?.(harness);
  await harness.server.resolve(harness.id, { as: 'void', ...decided });
  harness.service.setStatus('PAID');
  await harness.advance(20_000);
  assert.deepEqual(harness.outcomeKinds(), ['resolved', 'paid']);
});

test('an invoice that the server can judge is not resolved, and the conflict names it', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  await harness.advance(5000);
  for (const [params, name, path] of [
    [{ as: 'paid', note: 'seen' }, 'CheckoutConflictError', 'id'],
    [{ invoiceId: 'inv_other', as: 'paid', note: 'seen' }, 'CheckoutConflictError', 'invoiceId'],
    [{ as: 'paid', note: '' }, 'CheckoutParamsError', 'note'],
    [{ as: 'paid', note: 'x', invoiceID: '1' }, 'CheckoutParamsError', 'invoiceID'],
  ] as const)
    await assert.rejects(harness.server.resolve(harness.id, params as ResolveParams), { name, path });
});

test('the one of two undecided invoices has to be named', async () => {
  const harness = await TestCheckoutServer.open();
  await undecided['a status word in no list']?.(harness);
  await harness.until(harness.createInvoice({ key: 'second', method: 'pm_sbp', replace: true }));
  harness.service.setStatus('HELD_BY_BANK');
  await harness.advance(20_000);
  const [first, second] = (await harness.server.get(harness.id))?.invoices ?? [];
  assert.deepEqual([first?.needsDecision, second?.needsDecision], [true, true]);
  await assert.rejects(harness.server.resolve(harness.id, { as: 'void', note: 'seen' }), CheckoutParamsError);
  const resolved = await harness.server.resolve(harness.id, { invoiceId: second?.id ?? '', as: 'paid', note: 'seen' });
  assert.deepEqual(
    resolved.invoices.map(({ resolution }) => resolution?.as),
    [undefined, 'paid'],
  );
});

test('a checkout keeps the words of the service and the calls of the shop, with their times', async () => {
  const harness = await TestCheckoutServer.open();
  const openedAt = Math.floor(harness.clock.now());
  await harness.server.update(harness.id, { description: 'Tea' });
  await harness.createInvoice();
  await harness.advance(15_000);
  harness.service.setStatus('PAID');
  await harness.advance(15_000);
  const [outcome] = harness.outcomes;
  assert.ok(outcome);
  await harness.server.redeliver(outcome.id);
  const checkout = await harness.until(harness.server.check(harness.id));
  await harness.server.close(harness.id); // changes nothing, because the checkout is paid
  const now = Math.floor(harness.clock.now());
  assert.deepEqual(checkout.actions, [
    { at: openedAt, action: 'update', target: null },
    { at: now, action: 'redeliver', target: outcome.id },
    { at: now, action: 'check', target: null, answer: 'told' },
  ]);
  const history = checkout.invoices[0]?.statusHistory ?? [];
  assert.deepEqual(
    history.map(({ status }) => status),
    ['PENDING', 'PAID'],
  );
  assert.ok(history.every(({ at }) => at > openedAt && at <= now));
});

test('a check that begins while the payment is being fetched ends when that fetch has told of the payment', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  await harness.advance(15_000);
  harness.service.setStatus('PAID');
  let answer = (): void => undefined;
  harness.service.fetchFaults.push({ kind: 'hangs', until: new Promise<void>((resolve) => (answer = resolve)) });
  const fetchCount = harness.service.fetchRequests.length;
  while (harness.service.fetchRequests.length === fetchCount) await harness.advance(1000);
  const startedAt = harness.clock.now();
  const checking = harness.server.check(harness.id);
  await settle();
  answer();
  const { status } = await harness.until(checking);
  assert.equal(status, 'paid');
  assert.ok(harness.clock.now() - startedAt < 3000, `${harness.clock.now() - startedAt} ms`);
});
