import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { en } from '../../src/locales/en.ts';
import { loadMessages, pickFormattingLanguage, pickLanguage, registerLocale } from '../../src/i18n/load-messages.ts';
import { kk } from '../../src/locales/kk.ts';
import { ru } from '../../src/locales/ru.ts';
import ruFirstFile from '../../src/locales/ru/first-file.json';
import type { Message, Messages } from '../../src/i18n/messages-type.ts';
import { createFirstFileTranslator } from '../../src/i18n/first-file-translator.ts';
import { completeTranslator, createTranslator } from '../../src/i18n/translator.ts';

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

  it('is also that of numbers and times, unless a page has its own texts in a language without a catalogue', () => {
    const pick = (ownTexts?: object): string[] =>
      [['de-AT', 'ru'], ['ru_RU'], ['', 'ru'], ['en-!!', 'ru']].map((tags) => pickFormattingLanguage(tags, ownTexts));
    assert.deepEqual(pick({}), ['de-AT', 'ru-RU', 'ru', 'ru']);
    assert.deepEqual(pick(), ['ru', 'ru-RU', 'ru', 'ru']);
  });

  it('can be registered: a missing text is taken from the more general language, else from English', async () => {
    registerLocale('fr', { 'options.continue': 'Continuer' });
    registerLocale('fr-CA', () => Promise.resolve({ 'dialog.close': 'Fermer' }));
    registerLocale('ru-KZ', { 'options.continue': 'Дальше' });
    const canadian = await loadMessages('fr-CA');
    assert.deepEqual(
      [canadian['dialog.close'], canadian['options.continue'], canadian['header.due']],
      ['Fermer', 'Continuer', en['header.due']],
    );
    const kazakhstani = await loadMessages('ru-KZ');
    assert.deepEqual([kazakhstani['options.continue'], kazakhstani['header.due']], ['Дальше', ru['header.due']]);
    assert.equal(loadMessages('ru'), ruFirstFile);
    assert.equal(pickLanguage(['fr-CH', 'ru']), 'fr-CH');
  });

  it('loads a registered catalogue once, or again when the first load failed', async () => {
    const loads: string[] = [];
    registerLocale('pt', () => {
      loads.push('pt');
      return loads.length === 1 ? Promise.reject(new Error('offline')) : Promise.resolve({ 'dialog.close': 'Fechar' });
    });
    await assert.rejects(async () => loadMessages('pt'), /offline/);
    for (let call = 0; call < 2; call += 1) assert.equal((await loadMessages('pt'))['dialog.close'], 'Fechar');
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
    const { m } = createTranslator('en', en, { 'options.continue': 'Pay now' });
    assert.deepEqual([m('options.continue'), m('check.button')], ['Pay now', 'Check payment']);
  });

  it('ignores what a page passes that is no text', () => {
    const overrides: object = {
      'options.continue': 42,
      'check.button': () => 'x',
      'dialog.close': undefined,
      'paid.title': {},
    };
    const { m } = createTranslator('en', en, overrides);
    const keys = ['options.continue', 'check.button', 'dialog.close', 'paid.title'] as const;
    assert.deepEqual(
      keys.map((key) => m(key)),
      ['Continue', 'Check payment', 'Close', 'Payment received'],
    );
  });

  it('of the first file writes our own notations; the second file adds what `Intl` writes', () => {
    const first = createFirstFileTranslator('en', en);
    const texts = [first, completeTranslator(first)].map((t) => [
      t.money('1500.00', 'RUB').text,
      t.money('1500', 'JPY').text,
      t.brief('1500.00', 'CHF'),
      t.timeLeft(90_000),
      t.timeLeft(90 * 60_000),
    ]);
    assert.deepEqual(texts, [
      ['₽1,500.00', '1500 JPY', '1500.00 CHF', '\u20071:30', ''],
      ['₽1,500.00', '¥1,500', 'CHF\u00a01,500', '\u20071:30', '1 hr 30 min'],
    ]);
  });

  it('has plural forms by the categories of Intl.PluralRules', () => {
    const { m } = createTranslator('ru', ru);
    const written = [1, 3, 5, 21].map((seconds) => m('return.announcement', { seconds }).replace(/\u00a0/g, ' '));
    assert.deepEqual(
      written.map((text) => text.split(' ').slice(-2).join(' ')),
      ['1 секунду.', '3 секунды.', '5 секунд.', '21 секунду.'],
    );
  });

  it('has the same keys and the same values in each text of all languages', () => {
    const namesIn = (message: Message): string[] =>
      [...new Set((typeof message === 'string' ? message : message.other).match(/\{\w+\}/g))].sort();
    const valuesOf = (messages: Messages): unknown[] =>
      Object.entries<Message>({ ...messages })
        .map(([key, message]) => [key, namesIn(message)] as const)
        .sort(([one], [other]) => (one < other ? -1 : 1));
    assert.deepEqual(valuesOf(ru), valuesOf(en));
    assert.deepEqual(valuesOf(kk), valuesOf(en));
  });
});
