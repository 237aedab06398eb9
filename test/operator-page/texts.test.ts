import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTranslator } from '../../src/operator-page/texts.ts';

test('an amount has as many digits as its currency, and never fewer than it was written with', () => {
  const { money, moneyRange } = createTranslator('en-GB');
  const amounts = [money('1500', 'JPY'), money('1.5', 'KWD'), money('1500', 'RUB'), money('1500.5', 'JPY')];
  assert.deepEqual(
    amounts.map((amount) => amount.replace(/\s/g, ' ')),
    ['¥1,500', 'KWD 1.500', '₽1,500.00', '¥1,500.5'],
  );
  assert.equal(money('10.005', null), '10.005');
  assert.match(moneyRange('100', '100.004', 'RUB'), /100\.00\D+100\.004/);
});
