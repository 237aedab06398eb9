import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { compareDecimals } from '../../../src/service-api.ts';
import { banksFor, paymentOptions } from '../../../src/tools/sandbox/service/payment-options.ts';
import { TestSandbox } from '../test-sandbox.ts';

const limits = z.strictObject({ min_amount: z.string(), max_amount: z.string() });
const responseSchema = z.strictObject({
  options: z.array(
    z.strictObject({
      id: z.string().regex(/^pm_\w+$/),
      code: z.string(),
      type: z.string(),
      name: z.string(),
      available: z.boolean(),
      limits,
      banks: z.array(z.strictObject({ code: z.string(), name: z.string(), available: z.boolean(), limits })),
    }),
  ),
});

async function fetchOptions(amount?: string): Promise<z.output<typeof responseSchema>['options']> {
  const { json } = await new TestSandbox().call('FetchPaymentOptions', amount === undefined ? {} : { amount });
  return responseSchema.parse(json).options;
}

describe('FetchPaymentOptions', () => {
  it('§2.3, §2.4 returns each option and each bank with all of its fields', async () => {
    const options = await fetchOptions();
    assert.deepEqual([...new Set(options.map(({ type }) => type))], ['SBP', 'CARD', 'BANK_TRANSFER']);
    assert.ok(options.some(({ available }) => !available));
    assert.ok(options.some((option) => option.available && option.banks.some(({ available }) => !available)));
    assert.ok(options.flatMap(({ banks }) => banks).some(({ name }) => name === 'Сбербанк'));
  });

  for (const { amount, methods } of [
    { amount: '9.99', methods: [] },
    { amount: '10', methods: ['sbp'] },
    { amount: '99.99', methods: ['sbp'] },
    { amount: '100.00', methods: ['sbp', 'card'] },
    { amount: '500', methods: ['sbp', 'card', 'bank_transfer'] },
    { amount: '1000.00', methods: ['sbp', 'card', 'bank_transfer', 'foreign_card'] },
    { amount: '300000', methods: ['sbp', 'card', 'bank_transfer'] },
    { amount: '300000.01', methods: ['sbp', 'bank_transfer'] },
    { amount: '1000000.01', methods: ['bank_transfer'] },
    { amount: '5000000.01', methods: [] },
  ])
    it(`§4.2, §8 returns ${methods.join(', ') || 'no payment option'} for the amount ${amount}`, async () => {
      assert.deepEqual(
        (await fetchOptions(amount)).map(({ code }) => code),
        methods,
      );
    });

  for (const { amount, banks } of [
    { amount: '10.00', banks: ['sberbank', 'tbank', 'vtb'] },
    { amount: '50', banks: ['sberbank', 'tbank', 'alfabank', 'vtb'] },
    { amount: '150000.00', banks: ['sberbank', 'tbank', 'alfabank', 'vtb', 'gazprombank'] },
    { amount: '150000.01', banks: ['sberbank', 'tbank', 'vtb', 'gazprombank'] },
    { amount: '600000.01', banks: ['sberbank', 'vtb'] },
  ])
    it(`§2.4 returns the banks ${banks.join(', ')} of SBP for the amount ${amount}, including unavailable banks`, async () => {
      const [sbp] = await fetchOptions(amount);
      assert.deepEqual(
        sbp?.banks.map(({ code }) => code),
        banks,
      );
    });

  for (const amount of ['abc', '', '0', '-1', '1.00001', 100])
    it(`refuses the amount ${JSON.stringify(amount)} with 400 and a message that names it`, async () => {
      const { status, json, message } = await new TestSandbox().call('FetchPaymentOptions', { amount });
      assert.equal(status, 400);
      assert.equal(json['code'], 'invalid_argument');
      assert.match(message, /^amount: /);
    });

  it('returns all payment options for the amount null', async () => {
    const { json } = await new TestSandbox().call('FetchPaymentOptions', { amount: null });
    assert.equal(responseSchema.parse(json).options.length, paymentOptions.length);
  });

  it('returns for each available method a bank for every limit of the method and its banks', () => {
    for (const option of paymentOptions.filter(({ available }) => available)) {
      const limitAmounts = [option, ...option.banks].flatMap(({ limits: { min_amount, max_amount } }) => [
        min_amount,
        max_amount,
      ]);
      for (const amount of limitAmounts.sort(compareDecimals))
        assert.ok(banksFor(option, amount).length > 0, `${option.id} ${amount}`);
    }
  });
});
