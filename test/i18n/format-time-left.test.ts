import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatTimeLeft } from '../../src/i18n/format-by-intl.ts';
import { countdownStepMs } from '../../src/i18n/format-numbers.ts';
import { formatSpokenTime } from '../../src/i18n/translator.ts';

const withPlainSpaces = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ');
const minute = 60_000;
const hour = 60 * minute;

describe('the formatter of the time left', () => {
  const rows: readonly (readonly [remainingMs: number, ru: string, en: string])[] = [
    [0, '0:00', '0:00'],
    [-5, '0:00', '0:00'],
    [1, '0:01', '0:01'],
    [59_999, '1:00', '1:00'],
    [872_000, '14:32', '14:32'],
    [hour, '60:00', '60:00'],
    [hour + 1, '1 ч 1 мин', '1 hr 1 min'],
    [2 * hour + 5 * minute, '2 ч 5 мин', '2 hr 5 min'],
    [24 * hour, '24 ч 0 мин', '24 hr 0 min'],
    [51 * hour, '2 дн. 3 ч', '2 days 3 hr'],
  ];
  for (const [remainingMs, ru, en] of rows)
    it(`writes ${remainingMs} ms as ${ru} and ${en}`, () => {
      assert.deepEqual([formatTimeLeft('ru', remainingMs), formatTimeLeft('en', remainingMs)].map(withPlainSpaces), [
        ru,
        en,
      ]);
    });

  it('writes the digits of the language: Persian, Arabic and Latin', () => {
    assert.equal(formatTimeLeft('fa', 872_000), '۱۴:۳۲');
    assert.equal(formatTimeLeft('ar-EG', 61_000), '١:٠١');
    assert.equal(formatTimeLeft('de', 61_000), '1:01');
  });

  const spoken: readonly (readonly [remainingMs: number, ru: string, en: string])[] = [
    [180_000, '3 минуты', '3 minutes'],
    [60_000, '1 минута', '1 minute'],
    [30_000, '30 секунд', '30 seconds'],
    [21_000, '21 секунда', '21 seconds'],
  ];
  for (const [remainingMs, ru, en] of spoken)
    it(`writes ${remainingMs} ms in words as ${ru} and ${en}`, () => {
      assert.deepEqual(
        [formatSpokenTime('ru', remainingMs), formatSpokenTime('en', remainingMs)].map(withPlainSpaces),
        [ru, en],
      );
    });

  it('writes the same text within a step of countdownStepMs, and another text one step later', () => {
    for (const startMs of [90_000, 2 * hour, 30 * hour]) {
      const stepMs = countdownStepMs(startMs);
      assert.equal(formatTimeLeft('en', startMs), formatTimeLeft('en', startMs - stepMs + 1));
      assert.notEqual(formatTimeLeft('en', startMs), formatTimeLeft('en', startMs - stepMs));
    }
  });
});
