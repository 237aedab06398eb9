import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { isDecimal, parseDuration, parseTimestamp, readWireError } from '../../src/contract.ts';
import { holds } from '../support/properties.ts';
import { readDecimal, readDuration, readTimestamp } from './reference-parsers.ts';

/** Texts of a form with a few changes: most are nearly valid, and some are still valid. */
function near(form: RegExp, hostile: string): fc.Arbitrary<string> {
  const edit = fc.record({
    at: fc.nat(60),
    cut: fc.nat(2),
    put: fc.oneof(
      fc.constant(''),
      fc.constantFrom(...hostile.split('')),
      fc.constantFrom('٣', '𝟘', '٫', '−', ' ', '\u00a0', '\n', '\0', '\ud800', '0', '9'),
      fc.string({ unit: 'binary', maxLength: 2 }),
    ),
  });
  const change = (text: string, { at, cut, put }: { at: number; cut: number; put: string }): string => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + put + text.slice(place + cut);
  };
  return fc
    .tuple(fc.stringMatching(form), fc.array(edit, { maxLength: 3 }))
    .map(([text, edits]) => edits.reduce(change, text));
}

const digits = '0123456789';

suite('the parsers and the reference parsers agree', () => {
  test('on nearly valid decimals', () => {
    const texts = near(/^-?[0-9]{1,42}(\.[0-9]{1,42})?$/, `-+.,eExX_${digits}`);
    holds(
      fc.property(texts, (text) => assert.equal(isDecimal(text), readDecimal(text) !== undefined)),
      3000,
    );
  });

  test('on nearly valid durations', () => {
    const texts = near(/^-?([0-9]{1,13}|31557[56][0-9]{6}0?)(\.[0-9]{1,10})?s$/, `-+.,smhSe ${digits}`);
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
    const form =
      /^[0-9]{4}-(0[0-9]|1[0-3])-([0-2][0-9]|3[0-2])[Tt]([01][0-9]|2[0-4]):([0-5][0-9]|60):([0-5][0-9]|60|61)(\.[0-9]{1,10})?([Zz]|[+-]([01][0-9]|2[0-4]):([0-5][0-9]|60))$/;
    const texts = near(form, `-+:.TZtz ${digits}`);
    holds(
      fc.property(texts, (text) => assert.equal(parseTimestamp(text), readTimestamp(text))),
      5000,
    );
  });

  test('on leap seconds in any zone', () => {
    const offset = fc.integer({ min: -1439, max: 1439 });
    const check = (minute: number, minutes: number): void => {
      const two = (value: number): string => String(value).padStart(2, '0');
      const size = Math.abs(minutes);
      const zone = `${minutes < 0 ? '-' : '+'}${two(Math.trunc(size / 60))}:${two(size % 60)}`;
      const text = `2016-12-31T${two(Math.trunc(minute / 60))}:${two(minute % 60)}:60${zone}`;
      assert.equal(parseTimestamp(text), readTimestamp(text));
    };
    const isLeap = offset.chain((minutes) =>
      fc.tuple(fc.constant((1439 + minutes + 1440) % 1440), fc.constant(minutes)),
    );
    const any = fc.tuple(fc.nat(1439), offset);
    holds(
      fc.property(fc.oneof(isLeap, any), ([minute, minutes]) => check(minute, minutes)),
      2000,
    );
  });
});

suite('readWireError', () => {
  const names = [
    'canceled unknown invalid_argument deadline_exceeded not_found already_exists permission_denied resource_exhausted',
    'failed_precondition aborted out_of_range unimplemented internal unavailable data_loss unauthenticated',
  ].flatMap((line) => line.split(' '));
  const spellings: ((name: string) => unknown)[] = [
    (name) => name,
    (name) => name.toUpperCase(),
    (name) => name.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase()),
    (name) => names.indexOf(name) + 1,
  ];
  const others = fc.dictionary(
    fc.constantFrom('details', '__proto__', 'constructor', 'toJSON', 'Code', 'codes', 'error'),
    fc.jsonValue(),
  );

  test('reads the code in every spelling, among any other members, and cuts the message to 500 characters', () => {
    const check = (name: string, spell: (name: string) => unknown, message: string, more: object): void => {
      const error = readWireError(500, JSON.stringify({ ...more, code: spell(name), message }));
      assert.deepEqual(error, { httpStatus: 500, code: name, message: message.slice(0, 500), source: 'body' });
    };
    const messages = fc.oneof(fc.string(), fc.string({ minLength: 490, maxLength: 520 }));
    holds(fc.property(fc.constantFrom(...names), fc.constantFrom(...spellings), messages, others, check), 1000);
  });

  test('takes the code from the HTTP status when the body has no valid code as its own member', () => {
    const code = fc.oneof(
      fc.jsonValue().filter((value) => typeof value !== 'string' && typeof value !== 'number'),
      fc.double().filter((value) => !Number.isInteger(value) || value < 1 || value > 16),
      fc.constantFrom(...names).map((name) => `${name} `),
      fc.constantFrom(...names).map((name) => name.slice(1)),
      fc.constantFrom('ok', 'OK', '', 'code_13', 'constructor', '__proto__', 'ınternal'),
    );
    const body = fc.oneof(
      fc.tuple(others, code).map(([more, wrong]) => JSON.stringify({ ...more, code: wrong })),
      others.map((more) => JSON.stringify(more)),
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
