import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { isDecimal, parseDuration, parseTimestamp, readWireError } from '../../src/service-api.ts';
import { holds } from '../support/properties.ts';
import { readDecimal, readDuration, readTimestamp } from './reference-parsers.ts';

/** Generates texts that match a pattern, with up to three random edits: most are nearly valid, and some are valid. */
function nearlyMatching(pattern: RegExp, editCharacters: string): fc.Arbitrary<string> {
  const edit = fc.record({
    position: fc.nat(60),
    deletedLength: fc.nat(2),
    insertedText: fc.oneof(
      fc.constant(''),
      fc.constantFrom(...editCharacters.split('')),
      fc.constantFrom('٣', '𝟘', '٫', '−', ' ', '\u00a0', '\n', '\0', '\ud800', '0', '9'),
      fc.string({ unit: 'binary', maxLength: 2 }),
    ),
  });
  interface Edit {
    readonly position: number;
    readonly deletedLength: number;
    readonly insertedText: string;
  }
  const applyEdit = (text: string, { position, deletedLength, insertedText }: Edit): string => {
    const start = position % (text.length + 1);
    return text.slice(0, start) + insertedText + text.slice(start + deletedLength);
  };
  return fc
    .tuple(fc.stringMatching(pattern), fc.array(edit, { maxLength: 3 }))
    .map(([text, edits]) => edits.reduce(applyEdit, text));
}

const digits = '0123456789';

suite('each parser agrees with its reference parser', () => {
  test('on nearly valid decimals', () => {
    const texts = nearlyMatching(/^-?[0-9]{1,42}(\.[0-9]{1,42})?$/, `-+.,eExX_${digits}`);
    holds(
      fc.property(texts, (text) => assert.equal(isDecimal(text), readDecimal(text) !== undefined)),
      3000,
    );
  });

  test('on nearly valid durations', () => {
    const texts = nearlyMatching(/^-?([0-9]{1,13}|31557[56][0-9]{6}0?)(\.[0-9]{1,10})?s$/, `-+.,smhSe ${digits}`);
    const check = (text: string): void => {
      const nanos = readDuration(text);
      const ms = parseDuration(text);
      assert.equal(ms === undefined, nanos === undefined);
      if (ms === undefined || nanos === undefined) return;
      // The number may differ from the exact value by the precision of a float.
      assert.ok(Math.abs(ms - Number(nanos) / 1e6) <= Number.EPSILON * Math.abs(ms), `${ms} of ${nanos} ns`);
      assert.ok(!Object.is(ms, -0));
    };
    holds(fc.property(texts, check), 3000);
  });

  test('on nearly valid timestamps', () => {
    const pattern =
      /^[0-9]{4}-(0[0-9]|1[0-3])-([0-2][0-9]|3[0-2])[Tt]([01][0-9]|2[0-4]):([0-5][0-9]|60):([0-5][0-9]|60|61)(\.[0-9]{1,10})?([Zz]|[+-]([01][0-9]|2[0-4]):([0-5][0-9]|60))$/;
    const texts = nearlyMatching(pattern, `-+:.TZtz ${digits}`);
    holds(
      fc.property(texts, (text) => assert.equal(parseTimestamp(text), readTimestamp(text))),
      5000,
    );
  });

  test('on times with second 60 in any zone', () => {
    const offset = fc.integer({ min: -1439, max: 1439 });
    const check = (minuteOfDay: number, offsetMinutes: number): void => {
      const twoDigits = (value: number): string => String(value).padStart(2, '0');
      const absoluteMinutes = Math.abs(offsetMinutes);
      const zone = `${offsetMinutes < 0 ? '-' : '+'}${twoDigits(Math.trunc(absoluteMinutes / 60))}:${twoDigits(absoluteMinutes % 60)}`;
      const text = `2016-12-31T${twoDigits(Math.trunc(minuteOfDay / 60))}:${twoDigits(minuteOfDay % 60)}:60${zone}`;
      assert.equal(parseTimestamp(text), readTimestamp(text));
    };
    const validLeapSecond = offset.chain((minutes) =>
      fc.tuple(fc.constant((1439 + minutes + 1440) % 1440), fc.constant(minutes)),
    );
    const anySecond60 = fc.tuple(fc.nat(1439), offset);
    holds(
      fc.property(fc.oneof(validLeapSecond, anySecond60), ([minute, minutes]) => check(minute, minutes)),
      2000,
    );
  });
});

suite('readWireError', () => {
  const codes = [
    'canceled unknown invalid_argument deadline_exceeded not_found already_exists permission_denied resource_exhausted',
    'failed_precondition aborted out_of_range unimplemented internal unavailable data_loss unauthenticated',
  ].flatMap((line) => line.split(' '));
  const spellings: ((name: string) => unknown)[] = [
    (name) => name,
    (name) => name.toUpperCase(),
    (name) => name.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase()),
    (name) => codes.indexOf(name) + 1,
  ];
  const otherMembers = fc.dictionary(
    fc.constantFrom('details', '__proto__', 'constructor', 'toJSON', 'Code', 'codes', 'error'),
    fc.jsonValue(),
  );

  test('returns the code for every spelling, ignores other members, and cuts the message to 500 characters', () => {
    const check = (name: string, spell: (name: string) => unknown, message: string, members: object): void => {
      const error = readWireError(500, JSON.stringify({ ...members, code: spell(name), message }));
      assert.deepEqual(error, { httpStatus: 500, code: name, message: message.slice(0, 500), source: 'body' });
    };
    const messages = fc.oneof(fc.string(), fc.string({ minLength: 490, maxLength: 520 }));
    holds(fc.property(fc.constantFrom(...codes), fc.constantFrom(...spellings), messages, otherMembers, check), 1000);
  });

  test('derives the code from the HTTP status when the body has no valid code', () => {
    const invalidCode = fc.oneof(
      fc.jsonValue().filter((value) => typeof value !== 'string' && typeof value !== 'number'),
      fc.double().filter((value) => !Number.isInteger(value) || value < 1 || value > 16),
      fc.constantFrom(...codes).map((name) => `${name} `),
      fc.constantFrom(...codes).map((name) => name.slice(1)),
      fc.constantFrom('ok', 'OK', '', 'code_13', 'constructor', '__proto__', 'ınternal'),
    );
    const body = fc.oneof(
      fc.tuple(otherMembers, invalidCode).map(([members, code]) => JSON.stringify({ ...members, code })),
      otherMembers.map((members) => JSON.stringify(members)),
      fc.constantFrom(
        '{"__proto__":{"code":13,"message":"x"}}',
        '[{"code":13}]',
        '"internal"',
        '13',
        'null',
        '{"code":13',
      ),
    );
    holds(
      fc.property(fc.integer({ min: 0, max: 999 }), body, (status, text) => {
        assert.equal(readWireError(status, text).source, 'http_status');
      }),
      1000,
    );
  });
});
