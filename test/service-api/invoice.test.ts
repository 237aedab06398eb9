import fc from 'fast-check';
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createdInvoice, fetchedInvoice } from '../../src/service-api.ts';
import { holds } from '../support/property-tests.ts';

/** A response of CreateInvoice with every field. */
const fullCreated = {
  id: 'inv_1',
  user_id: 'usr_1',
  external_id: 'order-1',
  payment_url: 'https://pay.example/inv_1',
  amount: '1500.00',
  expires_at: '2026-11-20T10:30:00Z',
  sbp: { holder_name: 'Иван И.', phone: '+79000000000', account: '40817810000000000001' },
  card: { holder_name: 'IVAN I', card_number: '4242424242424242', account: '40817810000000000001' },
  bank_transfer: { holder_name: 'ООО «Тест»', bik: '044525225', account: '40702810000000000001' },
  bank: { id: '5f3d7c1e-2b0a-4c0e-9a51-0d9c3b1f2a44', code: 'sber', name: 'Сбербанк' },
  nspk_url: 'https://qr.nspk.ru/AS10',
};

/** An invoice of a FetchInvoices response with every field. */
const fullFetched = {
  id: 'inv_1',
  merchant_id: 'mrc_1',
  external_id: 'order-1',
  payment_url: 'https://pay.example/inv_1',
  amount: '1500.00',
  status: 'PENDING',
  metadata: { order: { lines: [1, 2.5, null, 'три'], gift: false } },
  created_at: '2026-11-20T10:00:00Z',
  expires_at: '2026-11-20T10:30:00Z',
  bank: { id: 'b', code: 'sber' },
  payment_method_id: 'pm_1',
};

const malformedValues: readonly unknown[] = [5, true, [], ['x']];

suite('createdInvoice', () => {
  test('keeps every field of section 2.1 unchanged', () =>
    assert.deepEqual(createdInvoice.parse(fullCreated), fullCreated));
  test('treats "" as a missing member', () => {
    const withEmptyTexts = {
      id: 'inv_1',
      amount: '1',
      payment_url: '',
      expires_at: '',
      nspk_url: '',
      sbp: { phone: '' },
    };
    assert.deepEqual(createdInvoice.parse(withEmptyTexts), { id: 'inv_1', amount: '1', sbp: {} });
  });
  test('requires only the identifier and the amount', () => {
    assert.deepEqual(createdInvoice.parse({ id: 'inv_1', amount: '1' }), { id: 'inv_1', amount: '1' });
  });

  const invalidInvoices: readonly (readonly [string, unknown])[] = [
    ['no id', { amount: '1' }],
    ['a number as the id', { id: 1, amount: '1' }],
    ['no amount', { id: 'inv_1' }],
    ['a number as the amount', { id: 'inv_1', amount: 1500 }],
    ['a list around it', [fullCreated]],
  ];
  for (const [name, value] of invalidInvoices)
    test(`refuses an invoice with ${name}`, () => assert.equal(createdInvoice.safeParse(value).success, false));

  for (const member of Object.keys(fullCreated).filter((name) => name !== 'id' && name !== 'amount'))
    test(`treats a malformed ${member} as missing, and keeps the other members`, () => {
      for (const value of malformedValues) {
        const invoice: Readonly<Record<string, unknown>> = createdInvoice.parse({ ...fullCreated, [member]: value });
        const { [member]: parsedMember, ...otherMembers } = invoice;
        assert.equal(parsedMember, undefined);
        assert.equal(Object.keys(otherMembers).length, Object.keys(fullCreated).length - 1);
      }
    });

  test('keeps the card when only its holder_name is malformed', () => {
    const { card } = createdInvoice.parse({ ...fullCreated, card: { ...fullCreated.card, holder_name: 5 } });
    assert.deepEqual(card, { ...fullCreated.card, holder_name: undefined });
  });

  test('ignores unknown members and null members', () => {
    const extra = fc.dictionary(
      fc.string().map((name) => `x-${name}`),
      fc.jsonValue({ maxDepth: 3 }),
    );
    holds(
      fc.property(extra, extra, (outer, inner) => {
        const response = { ...outer, ...fullCreated, card: { ...inner, ...fullCreated.card }, unknown: null };
        assert.deepEqual(createdInvoice.parse(response), fullCreated);
      }),
    );
  });
});

suite('fetchedInvoice', () => {
  test('keeps every field of section 2.2 unchanged, including nulls inside metadata', () =>
    assert.deepEqual(fetchedInvoice.parse(fullFetched), fullFetched));
  test('requires only the identifier', () => assert.deepEqual(fetchedInvoice.parse({ id: 'inv_1' }), { id: 'inv_1' }));

  for (const [status, expected] of [
    ['SOMETHING_NEW', 'SOMETHING_NEW'],
    [3, '3'],
    [null, undefined],
    [{ value: 'PAID' }, undefined],
    [true, undefined],
  ] as const)
    test(`treats the status ${JSON.stringify(status)} as ${expected ?? 'missing'}`, () =>
      assert.equal(fetchedInvoice.parse({ ...fullFetched, status }).status, expected));

  test('refuses an amount that is not a decimal string, because the payment could not be checked', () =>
    assert.equal(fetchedInvoice.safeParse({ ...fullFetched, amount: 1500 }).success, false));

  test('never throws, and accepts any JSON as status, bank and metadata', () => {
    holds(
      fc.property(fc.jsonValue(), (value) => {
        assert.equal(typeof fetchedInvoice.safeParse(value).success, 'boolean');
        assert.equal(
          fetchedInvoice.safeParse({ ...fullFetched, status: value, bank: value, metadata: value }).success,
          true,
        );
      }),
    );
  });
});
