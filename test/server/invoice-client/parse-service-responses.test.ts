import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  parseCreatedInvoice,
  parseFetchedInvoices,
  parseOptions,
  createDroppedReport,
} from '../../../src/server/invoice-client/parse-service-responses.ts';

/** A report and what it logs: the level, and the facts as one text each. */
function recordedReport() {
  const lines: string[] = [];
  const counts: string[] = [];
  const report = createDroppedReport(
    (level, event, facts) => lines.push(`${level} ${event} ${Object.values(facts).join(' ')}`),
    (operation, member) => counts.push(`${operation} ${member}`),
  );
  return { report, lines, counts };
}

const invoice = { id: 'inv_1', amount: '1.00' };

suite('what is logged of a malformed answer', () => {
  for (const [what, item, logged] of [
    ['a text for an object', { sbp: 'x' }, 'sbp string'],
    ['a list for a text', { payment_url: [] }, 'payment_url array'],
    ['a number in an object', { bank: { name: 5 } }, 'bank.name number'],
  ] as const)
    test(`${what} is named by its path and its type`, () => {
      const { report, lines } = recordedReport();
      assert.ok(parseCreatedInvoice({ ...invoice, ...item }, report).ok);
      assert.deepEqual(lines, [`error invoice_service_member_dropped CreateInvoice ${logged}`]);
    });

  test('an absent member, a member of a later version and metadata are not malformed', () => {
    const { report, lines, counts } = recordedReport();
    parseCreatedInvoice({ ...invoice, sbp: undefined, new_member: 5 }, report);
    parseFetchedInvoices([{ ...invoice, status: 'NEW', metadata: { order: 5 } }], ['inv_1'], report);
    parseFetchedInvoices([{ ...invoice, status: 'NEW', metadata: 'order' }], ['inv_1'], report);
    assert.deepEqual([lines, counts], [[], []]);
  });

  test('it is logged once for each operation, member and shape, and counted each time', () => {
    const { report, lines, counts } = recordedReport();
    for (const sbp of ['x', 'y', 5, 'z']) parseCreatedInvoice({ ...invoice, sbp }, report);
    assert.deepEqual(
      lines.map((line) => line.split(' ').slice(2).join(' ')),
      ['CreateInvoice sbp string', 'CreateInvoice sbp number'],
    );
    assert.equal(counts.length, 4);
  });
});

test('an invoice without a readable id or amount is no invoice, and the detail is the member', () => {
  const { report } = recordedReport();
  for (const [json, detail] of [
    [{ amount: '1.00' }, 'id'],
    [{ id: 'inv_1', amount: 'one' }, 'amount'],
    ['inv_1', 'not_of_the_contract'],
  ] as const)
    assert.deepEqual(parseCreatedInvoice(json, report), { ok: false, detail });
});

test('requisites that name nothing to pay to are dropped, and those that name one thing are kept', () => {
  const { report } = recordedReport();
  const membersOf = (requisites: object): readonly string[] => {
    const result = parseCreatedInvoice({ ...invoice, ...requisites }, report);
    assert.ok(result.ok);
    return Object.keys(result.value).filter((key) => !['id', 'amount'].includes(key));
  };
  const owner = { recipient: 'Иван И.' };
  assert.deepEqual(membersOf({ sbp: owner, card: owner, bank_transfer: owner }), []);
  assert.deepEqual(membersOf({ sbp: { phone: '+79990000000' } }), ['sbp']);
  assert.deepEqual(membersOf({ sbp: { account: '40817810000000000001' } }), ['sbp']);
  assert.deepEqual(membersOf({ card: { card_number: '2200000000000004' } }), ['card']);
  assert.deepEqual(membersOf({ card: { account: '40817810000000000001' } }), ['card']);
  assert.deepEqual(membersOf({ bank_transfer: { account: '40702810000000000001' } }), ['bank_transfer']);
});

test('a hundred payment methods are read; what comes after them is counted in one line', () => {
  const option = (number: number) => ({ id: `pm_${number}`, type: 'SBP', available: true });
  for (const [count, expected] of [
    [100, []],
    [103, ['warn invoice_service_item_dropped FetchPaymentOptions options 3 pm_100']],
  ] as const) {
    const { report, lines } = recordedReport();
    assert.equal(
      parseOptions(
        Array.from({ length: count }, (_, index) => option(index)),
        report,
      ).length,
      100,
    );
    assert.deepEqual(lines, expected);
  }
});

test('an unreadable payment method is dropped, and the line has no id that is not one', () => {
  const { report, lines } = recordedReport();
  assert.deepEqual(parseOptions([{ id: 5, name: '<b>' }, null], report), []);
  assert.match(lines[0] ?? '', /^warn invoice_service_item_dropped FetchPaymentOptions \w+ 1 unreadable$/);
});

test('items of FetchInvoices that are no invoices are not read, and the line counts them', () => {
  const { report, lines } = recordedReport();
  const items = [null, 5, 'inv_1', {}, { id: 5 }, { ...invoice, status: 'NEW' }];
  assert.deepEqual(
    parseFetchedInvoices(items, ['inv_1'], report).map(({ id }) => id),
    ['inv_1'],
  );
  assert.deepEqual(lines, ['error invoice_service_item_dropped FetchInvoices invoices 5 unreadable']);
});
