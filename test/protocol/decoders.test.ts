import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import type { z } from 'zod';
import { checkout, problem, DecodeError, decodeCheckout, decodeProblem } from '../../src/protocol.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';
import { holds } from '../support/properties.ts';

const full = makeCheckout(
  'pending',
  {
    external_id: 'order-1',
    payment_url: 'https://pay.example/1',
    nspk_url: 'https://qr.nspk.ru/AD1',
    card: { holder_name: 'T', card_number: '4111111111111111', account: '1' },
    bank_transfer: { holder_name: 'T', bik: '044525225', account: '40702810938000060473' },
    bank: { id: '1', code: 'test', name: 'Тест Банк' },
    expires_at: '2026-11-20T10:15:00Z',
  },
  {
    options: [
      ...makeOpenCheckout().options,
      {
        id: 'pm_banks',
        code: 'c',
        type: 'SBP',
        available: true,
        limits: { min_amount: '1', max_amount: '2' },
        banks: [{ code: 'b', name: 'B', available: true, limits: { max_amount: '2' } }],
      },
    ],
    amount_limits: { min_amount: '1', max_amount: '100000' },
    reference: 'A-17',
    expires_at: '2026-11-20T10:30:00Z',
    paid_at: '2026-11-20T10:05:00Z',
  },
);

const fullProblem = { type: 'about:blank', title: 'T', status: 422, code: 'amount_out_of_limits', min_amount: '1' };

/** The path of every place in a value. */
function places(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => places(inner, [...path, key]))];
}

/** The value with another value in one place; undefined removes the place. */
function withValue(value: unknown, [key, ...rest]: readonly string[], other: unknown): unknown {
  if (key === undefined) return other;
  if (typeof value !== 'object' || value === null) return value;
  const changed = Object.entries(value).map(([name, inner]): [string, unknown] => [
    name,
    name === key ? withValue(inner, rest, other) : inner,
  ]);
  return Array.isArray(value)
    ? changed.map(([, inner]) => inner)
    : Object.fromEntries(changed.filter(([, inner]) => inner !== undefined));
}

const junk = fc.oneof(
  fc.constantFrom(null, undefined, '', '1', '-1.50', '1.', '1e3', 'open', 'paid', 'PAID', 0, 1, -1, 1.5, 2 ** 53),
  fc.constantFrom(true, false, [], {}, [null], { min_amount: '1' }, 'not_found', '2026-11-20T10:00:00Z'),
  fc.jsonValue(),
);
const isTimestamp = (path: readonly string[]): boolean =>
  ['server_time', 'expires_at', 'paid_at'].includes(path.at(-1) ?? '');

/** The value at a place. */
function at(value: unknown, [key, ...rest]: readonly PropertyKey[]): unknown {
  if (key === undefined || typeof value !== 'object' || value === null) return value;
  const found = Object.entries(value).find(([name]) => name === String(key));
  return at(found?.[1], rest);
}

/**
 * Compares a decoder with its schema. The decoder is more tolerant in one point: it treats null as a missing member and a
 * missing member as null, so that the browser accepts a backend that confuses them.
 */
function compare(schema: z.ZodType, decoder: (value: unknown, path: string) => unknown, sent: unknown): void {
  const arrived: unknown = JSON.parse(JSON.stringify(sent ?? null));
  const expected = schema.safeParse(arrived);
  let read: unknown;
  try {
    read = decoder(arrived, '');
  } catch {
    assert.equal(expected.success, false, 'refused, although the schema accepts it');
    return;
  }
  if (expected.success) assert.deepEqual(read, expected.data);
  else for (const { path } of expected.error.issues) assert.equal(at(arrived, path) ?? null, null, path.join('.'));
}

describe('the generated decoders', () => {
  it('read the same values as the schemas', () => {
    for (const value of [full, makeOpenCheckout(), makeCheckout('paid')]) {
      assert.deepEqual(decodeCheckout(JSON.parse(JSON.stringify(value)), ''), checkout.parse(value));
    }
    assert.deepEqual(decodeProblem(fullProblem, ''), problem.parse(fullProblem));
  });

  // The decoders do not check the form of timestamps, because the browser does not show them.
  it('agree with the schemas on a checkout with any value in any place', () => {
    const where = fc.constantFrom(...places(full).filter((path) => !isTimestamp(path)));
    holds(
      fc.property(where, junk, (path, value) => compare(checkout, decodeCheckout, withValue(full, path, value))),
      1500,
    );
  });

  it('agree with the schemas on the text of a checkout with any change after which it is still JSON', () => {
    const text = JSON.stringify(full);
    const edit = fc.record({
      at: fc.nat(text.length),
      cut: fc.nat(12),
      put: fc.oneof(
        fc.constantFrom(
          '',
          'null',
          '0',
          '-0',
          '1e999',
          '"',
          '"x"',
          '{}',
          '[]',
          ',',
          '1',
          '"a":1,',
          '\\u0000',
          '\\ud800',
        ),
        fc.constantFrom('"__proto__":{"stale":1},', '"constructor":null,', '"status":"open",', '"invoice":null,', ']}'),
        fc.string({ maxLength: 3 }),
      ),
    });
    const parsed = (broken: string): unknown => {
      try {
        return JSON.parse(broken);
      } catch {
        return undefined;
      }
    };
    const check = (edits: readonly { at: number; cut: number; put: string }[]): void => {
      const broken = edits.reduce(
        (now, { at: place, cut, put }) => now.slice(0, place) + put + now.slice(place + cut),
        text,
      );
      const value = parsed(broken);
      fc.pre(value !== undefined);
      // The decoders do not check the form of timestamps.
      const expected = checkout.safeParse(value);
      const isAboutTime = !expected.success && expected.error.issues.some(({ path }) => isTimestamp(path.map(String)));
      if (!isAboutTime) compare(checkout, decodeCheckout, value);
    };
    holds(fc.property(fc.array(edit, { minLength: 1, maxLength: 2 }), check), 1000);
  });

  it('agree with the schemas on a problem with any value in any place', () => {
    holds(
      fc.property(fc.constantFrom(...places(fullProblem)), junk, (path, value) => {
        // The decoder does not check that the status is positive: no HTTP status is negative.
        fc.pre(!(path[0] === 'status' && typeof value === 'number' && value < 0));
        compare(problem, decodeProblem, withValue(fullProblem, path, value));
      }),
      2000,
    );
  });

  it('drop unknown members, and read null as missing where a member is optional', () => {
    const more = { ...full, extra: 1, invoice: { ...full.invoice, more: {}, card: null, service_status: null } };
    const { invoice, ...rest } = decodeCheckout(more, '');
    assert.ok(!('extra' in rest));
    assert.ok(invoice !== null && !('more' in invoice) && !('card' in invoice) && !('service_status' in invoice));
  });

  it('accept any string as a timestamp', () => {
    assert.equal(decodeCheckout({ ...full, server_time: 'soon' }, '').server_time, 'soon');
  });

  it('throw a DecodeError for any other value, and name the field', () => {
    holds(
      fc.property(fc.anything(), (value) => {
        assert.throws(() => decodeCheckout(value, ''), DecodeError);
      }),
    );
    assert.throws(() => decodeCheckout({ ...full, stale: 1 }, ''), /stale: true or false/);
    assert.throws(() => decodeCheckout({ ...full, options: [{}] }, ''), /options\[0\]\.id: a string/);
  });

  it('do not read __proto__ into a prototype', () => {
    const read = decodeCheckout(JSON.parse(JSON.stringify(full).replace('{', '{"__proto__":{"polluted":1},')), '');
    assert.ok(!('polluted' in read) && !('polluted' in {}));
  });

  it('are up to date with the schemas', async () => {
    const args = ['--import', 'tsx', 'scripts/generate/decoders.ts', '--check'];
    await promisify(execFile)(process.execPath, args);
  });
});
