import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '../../src/server.ts';
import type { SimulationEvent } from './history.ts';
import { checkHistory, ruleNames, type RuleName } from './rules.ts';

type Kind<K extends SimulationEvent['kind']> = Omit<Extract<SimulationEvent, { kind: K }>, 'kind'>;

const order = (orderId: string): SimulationEvent => ({ kind: 'order', at: 0, orderId, amount: '1500.00' });
const invoice = (invoiceId: string): SimulationEvent => ({
  kind: 'invoice',
  at: 1000,
  invoiceId,
  orderId: 'order-1',
  externalId: `att_${invoiceId}`,
  amount: '1500.00',
  expiresAt: 900_000,
});
const bank = (invoiceId: string, at: number, status = 'PAID'): SimulationEvent => ({
  kind: 'bank',
  at,
  invoiceId,
  status,
});
const outcome = (invoiceId: string, at: number, change: Partial<Outcome> = {}): SimulationEvent => ({
  kind: 'outcome',
  at,
  isApplied: true,
  outcome: {
    id: `${invoiceId}.${change.kind ?? 'paid'}.${change.orderId ?? 'order-1'}`,
    kind: 'paid',
    sequence: 1,
    orderId: 'order-1',
    checkoutId: `co_${change.orderId ?? 'order-1'}`,
    externalId: `att_${invoiceId}`,
    invoiceId,
    amount: '1500.00',
    expectedAmount: '1500.00',
    mode: 'LIVE',
    occurredAt: at,
    ...change,
  },
});
const screen = (at: number, change: Partial<Kind<'screen'>>): SimulationEvent => ({
  kind: 'screen',
  at,
  tab: 'order-1.1',
  orderId: 'order-1',
  screen: 'waiting',
  invoiceId: 'inv_1',
  amount: '1500.00',
  isPayable: true,
  knowsDeadline: true,
  ...change,
});
const call = (at: number, change: Partial<Kind<'call'>>): SimulationEvent => ({
  kind: 'call',
  at,
  operation: 'CreateInvoice',
  server: 0,
  orderId: undefined,
  externalId: undefined,
  invoiceIds: [],
  ...change,
});
const read = (at: number, way: 'plain' | 'answered' | 'cut'): SimulationEvent => ({
  kind: 'read',
  at,
  tab: 'order-1.1',
  orderId: 'order-1',
  read: way,
});
const request = (at: number, key: string): SimulationEvent => ({
  kind: 'create_request',
  at,
  orderId: 'order-1',
  key,
  replace: false,
});
const create = (at: number, externalId: string): SimulationEvent => call(at, { orderId: 'order-1', externalId });
const end = (status: Kind<'end'>['status'], invoiceStatus: string): SimulationEvent => ({
  kind: 'end',
  at: 9_000_000,
  orderId: 'order-1',
  status,
  invoices: [{ id: 'inv_1', externalId: 'att_inv_1', status: invoiceStatus }],
});
const many = (count: number, everyMs: number, at: (ms: number) => SimulationEvent): readonly SimulationEvent[] =>
  Array.from({ length: count }, (_, index) => at(10_000 + index * everyMs));

/** A purchase that breaks no rule. */
const purchase: readonly SimulationEvent[] = [
  order('order-1'),
  screen(100, { screen: 'choosing', invoiceId: undefined, isPayable: false }),
  request(900, 'key-1'),
  create(950, 'att_inv_1'),
  invoice('inv_1'),
  screen(1100, {}),
  ...many(5, 2000, (at) => call(at, { operation: 'FetchInvoices', invoiceIds: ['inv_1'] })),
  bank('inv_1', 30_000),
  outcome('inv_1', 32_000),
  screen(32_500, { screen: 'paid', invoiceId: undefined, isPayable: false }),
  end('paid', 'paid'),
];
const unpaid = purchase.filter(
  ({ kind, at }) => kind !== 'bank' && kind !== 'outcome' && kind !== 'end' && at < 32_000,
);
const without = (kind: SimulationEvent['kind']): readonly SimulationEvent[] =>
  purchase.filter((event) => event.kind !== kind);

/** For each rule a history that breaks it. */
const violating: Readonly<Record<RuleName, readonly SimulationEvent[]>> = {
  'each payment gives one outcome of its order and amount': without('outcome'),
  'no payment is invented': without('bank'),
  'an order is paid once': [...purchase, invoice('inv_2'), bank('inv_2', 40_000), outcome('inv_2', 42_000)],
  'a paid invoice is not told as failed or expired': [
    ...purchase,
    outcome('inv_1', 990_000, { kind: 'expired', sequence: 2 }),
  ],
  'nothing is told after paid, except duplicates': [
    ...purchase,
    outcome('inv_1', 60_000, { kind: 'failed', sequence: 2 }),
  ],
  'failed and expired are told as the bank says': [
    ...unpaid,
    bank('inv_1', 30_000, 'HELD_BY_BANK'),
    outcome('inv_1', 99_000, { kind: 'failed' }),
  ],
  'a create is given up after a day': [...unpaid, outcome('inv_1', 99_000, { kind: 'create_unresolved' })],
  'a new invoice is for an open order': [...purchase, request(99_000, 'key-2'), create(99_100, 'att_inv_2')],
  'no second invoice unless the payer asks for one': [...unpaid, request(99_000, 'key-2'), create(99_100, 'att_inv_2')],
  'outcomes come in order': [...without('outcome'), outcome('inv_1', 32_000, { sequence: 2 })],
  'the last outcome is the status of the checkout': [...unpaid, end('failed', 'failed')],
  'every checkout reaches its end': [...unpaid, end('pending', 'pending')],
  'a page shows paid only after a payment': [...unpaid, screen(31_000, { screen: 'paid', isPayable: false })],
  'a page shows only invoices of its order and amount': [
    ...purchase,
    order('order-2'),
    { kind: 'given', at: 49_000, invoiceId: 'inv_1', orderId: 'order-2' },
    screen(50_000, { orderId: 'order-2' }),
  ],
  'no invoice is payable after its deadline': [...unpaid, screen(916_000, { screen: 'expired', isPayable: false })],
  'no second invoice while the first is paid': [
    ...purchase,
    { kind: 'check', at: 31_000, answeredAt: 35_000, orderId: 'order-1' },
    request(39_000, 'key-2'),
    create(40_000, 'att_inv_2'),
  ],
  'every record keeps the rules of records': [...purchase, { kind: 'record_rule_broken', at: 31_000, rule: 'a rule' }],
  'one key makes one invoice': [...purchase, request(39_000, 'key-1'), create(40_000, 'att_inv_2')],
  'a create in doubt is repeated as planned': [...purchase, ...many(41, 10_000, (at) => create(at, 'att_inv_1'))],
  'an invoice is fetched once a second at most': [
    ...purchase,
    ...many(21, 400, (at) => call(at, { operation: 'FetchInvoices', invoiceIds: ['inv_1'] })),
  ],
  'calls stay within the limits of a process': many(21, 40, (at) => call(at, { operation: 'FetchPaymentOptions' })),
  'a page polls plainly only after two cut long polls': [
    ...purchase,
    read(4000, 'cut'),
    read(4500, 'answered'),
    read(5000, 'cut'),
    ...many(25, 2000, (at) => read(at, 'plain')),
  ],
  'a page follows its checkout': [...unpaid, bank('inv_1', 30_000), outcome('inv_1', 32_000), end('paid', 'paid')],
};

const brokenRules = (events: readonly SimulationEvent[]): readonly string[] =>
  checkHistory(events).map(({ rule }) => rule);

test('a purchase breaks no rule', () => {
  assert.deepEqual(checkHistory(purchase), []);
});

for (const rule of ruleNames)
  test(`a history that breaks it is found by the rule: ${rule}`, () => {
    assert.ok(brokenRules(violating[rule]).includes(rule), brokenRules(violating[rule]).join(', '));
  });

test('a payment is told once also when the shop receives its outcome again', () => {
  assert.deepEqual(checkHistory([...purchase, outcome('inv_1', 60_000)]), []);
});

test('a payment of another order is found', () => {
  const told = [...without('outcome'), outcome('inv_1', 32_000, { orderId: 'order-2' })];
  assert.ok(brokenRules(told).includes('each payment gives one outcome of its order and amount'));
});

test('plain polls after two cut long polls are no violation', () => {
  const rule: RuleName = 'a page polls plainly only after two cut long polls';
  const plainReads = many(25, 2000, (at) => read(at, 'plain'));
  assert.ok(!brokenRules([...purchase, read(4000, 'cut'), read(5000, 'cut'), ...plainReads]).includes(rule));
});

test('a second invoice is no violation when the fetch of the first failed', () => {
  const failed: SimulationEvent = { kind: 'fetch_failed', at: 33_000, invoiceIds: ['inv_1'] };
  const rule: RuleName = 'no second invoice while the first is paid';
  assert.ok(!brokenRules([...violating[rule], failed]).includes(rule));
});
