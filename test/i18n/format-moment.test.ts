import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMoment } from '../../src/i18n/translator.ts';

const times = ['2026-11-22T11:45:00Z', '2026-07-01T23:05:00Z', '2026-01-01T00:00:00Z'];
const zones = [
  'UTC',
  'Europe/Moscow',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'America/New_York',
  'America/St_Johns',
  'Asia/Almaty',
];

test('a time in Russian is written as Intl writes it, in zones east and west of Greenwich and with offsets of part of an hour', () => {
  const { TZ } = process.env;
  try {
    for (const zone of zones)
      for (const time of times) {
        process.env.TZ = zone;
        const intl = formatMoment('ru', time, 'time', zone);
        assert.match(intl ?? '', /^\d\d:\d\d (GMT|UTC)/);
        assert.equal(formatMoment('ru', time, 'time', undefined), intl?.slice(0, 5), `${zone} ${time}`);
      }
  } finally {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  }
});

test('a date with or without its year precedes the time when it is requested', () => {
  assert.match(formatMoment('ru', times[0] ?? '', 'day', 'Europe/Moscow') ?? '', /^22\sноября .*14:45/);
  assert.match(formatMoment('en', times[0] ?? '', 'year', 'UTC') ?? '', /2026.*11:45.*UTC$/);
});

test('a line does not break before a time, and not between a day and its month, but before a year', () => {
  assert.match(formatMoment('ru', times[0] ?? '', 'year', 'UTC') ?? '', / 2026,\u00a011:45 UTC$/);
  assert.match(formatMoment('en', times[0] ?? '', 'day', 'UTC') ?? '', /^November\u00a022 at\u00a011:45/);
  assert.match(formatMoment('ru', times[0] ?? '', 'day', 'UTC') ?? '', /^22\u00a0ноября в\u00a011:45/);
});

test('a text that is not a time is formatted as undefined', () => {
  assert.equal(formatMoment('ru', 'soon', 'time', undefined), undefined);
});

test('a month without a name in the browser’s data is written as a number', () => {
  const { prototype } = Intl.DateTimeFormat;
  const originalFormat = Object.getOwnPropertyDescriptor(prototype, 'format');
  assert.ok(originalFormat);
  for (const [datePart, browserText, expected] of [
    ['year', '2026 M11 20 10:02 UTC', '20.11.2026\u00a010:02 UTC'],
    ['day', 'M11 20 10:02 UTC', '20.11\u00a010:02 UTC'],
  ] as const) {
    Object.defineProperty(prototype, 'format', { configurable: true, value: () => browserText });
    const written = formatMoment('kk', times[0] ?? '', datePart, 'UTC');
    Object.defineProperty(prototype, 'format', originalFormat);
    assert.equal(written, expected);
  }
});
