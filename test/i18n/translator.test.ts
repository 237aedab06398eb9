import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { en } from '../../src/locales/en.ts';
import { loadMessages, pickFormattingLanguage, pickLanguage, registerLocale } from '../../src/i18n/load-messages.ts';
import { kk } from '../../src/locales/kk.ts';
import { ru } from '../../src/locales/ru.ts';
import { ruFirstFile } from '../../src/locales/ru/first-file.ts';
import { createTranslator } from '../../src/i18n/translator.ts';

describe('the language of the texts', () => {
  const rows: readonly (readonly [languages: readonly string[], picked: string])[] = [
    [['ru'], 'ru'],
    [['en-GB', 'ru'], 'en-GB'],
    [['RU-ru'], 'ru-RU'],
    [['ru_RU'], 'ru-RU'],
    [['en-!!', 'ru'], 'ru'],
    [['kk-Cyrl-KZ', 'ru-RU', 'en'], 'kk-Cyrl-KZ'],
    [['uz', 'ru-RU', 'en'], 'ru-RU'],
    [['', 'en'], 'en'],
    [['de'], 'en'],
    [[], 'en'],
    [['constructor', 'ru'], 'ru'],
  ];
  for (const [languages, picked] of rows)
    it(`is ${picked} when the preferred languages are ${JSON.stringify(languages)}`, () => {
      assert.equal(pickLanguage(languages), picked);
    });

  it('has bundled texts of the options for Russian, and a loaded catalogue for English and Kazakh', async () => {
    assert.equal(loadMessages('ru-RU'), ruFirstFile);
    assert.equal(await loadMessages('en'), en);
    assert.equal(await loadMessages('kk-KZ'), kk);
  });

  it('may have another language for numbers and times, which needs no catalogue', () => {
    assert.deepEqual(
      [['de-AT', 'ru'], ['ru_RU'], ['', 'ru'], ['en-!!', 'ru']].map((languages) => pickFormattingLanguage(languages)),
      ['de-AT', 'ru-RU', 'ru', 'ru'],
    );
  });

  it('can be registered: a missing text is taken from the more general language, else from English', async () => {
    registerLocale('fr', { proceed: 'Continuer', refused: { other: 'Impossible.' } });
    registerLocale('fr-CA', () => Promise.resolve({ close: 'Fermer' }));
    registerLocale('ru-KZ', { proceed: 'Дальше' });
    const canadian = await loadMessages('fr-CA');
    assert.deepEqual(
      [canadian.close, canadian.proceed, canadian.due, canadian.refused?.other, canadian.refused?.amount_required],
      ['Fermer', 'Continuer', en.due, 'Impossible.', en.refused.amount_required],
    );
    const { proceed, due } = await loadMessages('ru-KZ');
    assert.deepEqual([proceed, due], ['Дальше', ru.due]);
    assert.equal(loadMessages('ru'), ruFirstFile);
    assert.equal(pickLanguage(['fr-CH', 'ru']), 'fr-CH');
  });

  it('loads a registered catalogue once, or again when the first load failed', async () => {
    const loads: string[] = [];
    registerLocale('pt', () => {
      loads.push('pt');
      return loads.length === 1 ? Promise.reject(new Error('offline')) : Promise.resolve({ close: 'Fechar' });
    });
    await assert.rejects(async () => loadMessages('pt'), /offline/);
    for (let call = 0; call < 2; call += 1) assert.equal((await loadMessages('pt')).close, 'Fechar');
    assert.equal(loads.length, 2);
  });

  for (const [language, direction] of [
    ['ar-EG', 'rtl'],
    ['he', 'rtl'],
    ['ckb', 'rtl'],
    ['sd-PK', 'rtl'],
    ['dv', 'rtl'],
    ['ks', 'rtl'],
    ['uz-Arab-AF', 'rtl'],
    ['ku-Arab', 'rtl'],
    ['ru', 'ltr'],
    ['arn', 'ltr'],
  ] as const)
    it(`is written from ${direction === 'rtl' ? 'right to left' : 'left to right'} when it is ${language}`, () => {
      assert.equal(createTranslator(language, en).direction, direction);
    });

  it('keeps its other texts when a merchant replaces one text', () => {
    const texts = createTranslator('en', en, { proceed: 'Pay now' });
    assert.deepEqual([texts.m.proceed, texts.m.leave], ['Pay now', en.leave]);
    const { refused } = createTranslator('en', en, { refused: { other: 'No.' } }).m;
    assert.deepEqual([refused.other, refused.already_paid], ['No.', en.refused.already_paid]);
  });

  const limits: readonly (readonly [min: string | undefined, max: string | undefined, ru: string, en: string])[] = [
    ['100.00', '5000.50', 'от 100 ₽ до 5 000,50 ₽', 'from ₽100 to ₽5,000.50'],
    ['100', undefined, 'от 100 ₽', 'from ₽100'],
    [undefined, '100', 'до 100 ₽', 'up to ₽100'],
  ];
  for (const [min_amount, max_amount, russian, english] of limits)
    it(`has words for the limits of a method: "${english}" in English`, () => {
      const written = [createTranslator('ru', ru), createTranslator('en', en)].map((texts) =>
        texts.limits({ min_amount, max_amount }, 'RUB')?.replace(/[\u00a0\u202f]/g, ' '),
      );
      assert.deepEqual(written, [russian, english]);
    });

  it('has no words for the limits of a method without limits', () => {
    assert.equal(createTranslator('ru', ru).limits({}, 'RUB'), undefined);
    assert.equal(createTranslator('ru', ru).limits(null, 'RUB'), undefined);
  });
});
