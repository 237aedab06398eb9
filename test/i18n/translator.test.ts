import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { en } from '../../src/locales/en.ts';
import { loadMessages, pickLanguage } from '../../src/i18n/load-messages.ts';
import { ru } from '../../src/locales/ru.ts';
import { ruOptions } from '../../src/locales/ru/options.ts';
import { createTranslator } from '../../src/i18n/translator.ts';

describe('the language of the texts', () => {
  const rows: readonly (readonly [wanted: readonly string[], picked: string])[] = [
    [['ru'], 'ru'],
    [['en-GB', 'ru'], 'en-GB'],
    [['RU-ru'], 'ru-RU'],
    [['ru_RU'], 'ru-RU'],
    [['en-!!', 'ru'], 'ru'],
    [['kk', 'ru-RU', 'en'], 'ru-RU'],
    [['', 'en'], 'en'],
    [['de'], 'en'],
    [[], 'en'],
    [['constructor', 'ru'], 'ru'],
  ];
  for (const [wanted, picked] of rows)
    it(`is ${picked} for ${JSON.stringify(wanted)}`, () => {
      assert.equal(pickLanguage(wanted), picked);
    });

  it('is available at once for Russian, as far as the options need it, and is loaded for English', async () => {
    assert.equal(loadMessages('ru-RU'), ruOptions);
    assert.equal(await loadMessages('en'), en);
  });

  it('keeps its other texts when a merchant replaces one', () => {
    const texts = createTranslator('en', en, { proceed: 'Pay now' });
    assert.deepEqual([texts.m.proceed, texts.m.leave], ['Pay now', en.leave]);
  });

  const limits: readonly (readonly [min: string | undefined, max: string | undefined, ru: string, en: string])[] = [
    ['100.00', '5000.50', 'от 100 ₽ до 5 000,50 ₽', 'from ₽100 to ₽5,000.50'],
    ['100', undefined, 'от 100 ₽', 'from ₽100'],
    [undefined, '100', 'до 100 ₽', 'up to ₽100'],
  ];
  for (const [min_amount, max_amount, russian, english] of limits)
    it(`has the limits in words: ${english}`, () => {
      const told = [createTranslator('ru', ru), createTranslator('en', en)].map((texts) =>
        texts.limits({ min_amount, max_amount }, 'RUB')?.replace(/[\u00a0\u202f]/g, ' '),
      );
      assert.deepEqual(told, [russian, english]);
    });

  it('has no text without limits', () => {
    assert.equal(createTranslator('ru', ru).limits({}, 'RUB'), undefined);
    assert.equal(createTranslator('ru', ru).limits(null, 'RUB'), undefined);
  });
});
