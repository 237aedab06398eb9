import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import type { z } from 'zod';
import { checkout, problem, decodeCheckout, decodeProblem } from '../../src/checkout-api.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';
import { holds } from '../support/property-tests.ts';

/** A checkout with every member. */
const fullCheckout = makeCheckout(
  'pending',
  {
    external_id: 'order-1',
    payment_url: 'https://pay.example/1',
    nspk_url: 'https://qr.nspk.ru/AD1',
    card: { holder_name: 'T', card_number: '4111111111111111', account: '1' },
    bank_transfer: { holder_name: 'T', bik: '044525225', account: '40702810938000060473' },
    bank: { id: '1', code: 'test', name: 'Тест Банк' },
    expires_at: '2026-11-20T10:15:00Z',
    qr: { size: 21, modules: 'AAAA' },
    checked_at: '2026-11-20T10:00:04Z',
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

/** The paths of a value and of everything in it. */
function pathsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => pathsIn(inner, [...path, key]))];
}

/** Returns the value with a replacement at a path. A replacement of undefined removes the member. */
function withValue(value: unknown, [key, ...restPath]: readonly string[], replacement: unknown): unknown {
  if (key === undefined) return replacement;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => [
    name,
    name === key ? withValue(inner, restPath, replacement) : inner,
  ]);
  return Array.isArray(value)
    ? entries.map(([, inner]) => inner)
    : Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
}

/** Any values, many of which are nearly valid. */
const anyValue = fc.oneof(
  fc.constantFrom(null, undefined, '', '1', '-1.50', '1.', '1e3', 'open', 'paid', 'PAID', 0, 1, -1, 1.5, 2 ** 53),
  fc.constantFrom(true, false, [], {}, [null], { min_amount: '1' }, 'not_found', '2026-11-20T10:00:00Z'),
  fc.jsonValue(),
);
const isTimestamp = (path: readonly string[]): boolean =>
  ['server_time', 'expires_at', 'paid_at', 'checked_at'].includes(path.at(-1) ?? '');

/** The value at a path. */
function valueAt(value: unknown, [key, ...restPath]: readonly PropertyKey[]): unknown {
  if (key === undefined || typeof value !== 'object' || value === null) return value;
  const member = Object.entries(value).find(([name]) => name === String(key));
  return valueAt(member?.[1], restPath);
}

/**
 * Checks that a decoder and its schema agree on a value. The decoder is more tolerant in one point: it treats null as a missing
 * member, and a missing member as null, so that the browser accepts a backend that confuses the two.
 */
function checkAgreement(schema: z.ZodType, decoder: (value: unknown, path: string) => unknown, sent: unknown): void {
  const received: unknown = JSON.parse(JSON.stringify(sent ?? null));
  const expected = schema.safeParse(received);
  let decoded: unknown;
  try {
    decoded = decoder(received, '');
  } catch {
    assert.equal(expected.success, false, 'refused, although the schema accepts it');
    return;
  }
  if (expected.success) assert.deepEqual(decoded, expected.data);
  else
    for (const { path } of expected.error.issues) assert.equal(valueAt(received, path) ?? null, null, path.join('.'));
}

describe('the generated decoders', () => {
  it('return the same values as the schemas for valid checkouts and problems', () => {
    for (const value of [fullCheckout, makeOpenCheckout(), { ...makeCheckout('paid'), extra: 1 }]) {
      assert.deepEqual(decodeCheckout(JSON.parse(JSON.stringify(value)), ''), checkout.parse(value));
    }
    assert.deepEqual(decodeProblem(fullProblem, ''), problem.parse(fullProblem));
  });

  // The decoders do not check the form of timestamps, because the browser does not show them.
  it('agree with the schemas on a checkout in which any member has any value', () => {
    const anyPath = fc.constantFrom(...pathsIn(fullCheckout).filter((path) => !isTimestamp(path)));
    holds(
      fc.property(anyPath, anyValue, (path, value) =>
        checkAgreement(checkout, decodeCheckout, withValue(fullCheckout, path, value)),
      ),
      1500,
    );
  });

  it('agree with the schemas on a problem in which any member has any value', () => {
    holds(
      fc.property(fc.constantFrom(...pathsIn(fullProblem)), anyValue, (path, value) => {
        // The decoder does not check that the status is positive: no HTTP status is negative.
        fc.pre(!(path[0] === 'status' && typeof value === 'number' && value < 0));
        checkAgreement(problem, decodeProblem, withValue(fullProblem, path, value));
      }),
      2000,
    );
  });

  it('throw a TypeError for any value that is not a checkout, and name the field', () => {
    holds(
      fc.property(fc.anything(), (value) => {
        assert.throws(() => decodeCheckout(value, ''), TypeError);
      }),
    );
    assert.throws(() => decodeCheckout({ ...fullCheckout, stale: 1 }, ''), /stale is not valid: number$/);
    assert.throws(
      () => decodeCheckout({ ...fullCheckout, options: [{}] }, ''),
      /options\[0\]\.id is not valid: undefined$/,
    );
  });

  it('are the ones that the generator writes from the current schemas', async () => {
    const args = ['--import', 'tsx', 'scripts/generate/decoders.ts', '--check'];
    await promisify(execFile)(process.execPath, args);
  });
});

describe('the decoder of a checkout with a callback for what is not valid', () => {
  /** What is left of a checkout after a change at a path, and the paths that were dropped. */
  const decodeWith = (path: readonly string[], value: unknown): { checkout: unknown; dropped: string[] } => {
    const dropped: string[] = [];
    const decoded = decodeCheckout(withValue(fullCheckout, path, value), '', (dropPath) => dropped.push(dropPath));
    return { checkout: decoded, dropped };
  };

  const members: readonly (readonly [path: readonly string[], value: unknown, left: unknown])[] = [
    [['invoice', 'expires_in_ms'], 899_000.5, undefined],
    [['invoice', 'qr'], { size: 3, modules: 'x' }, undefined],
    [['options', '0', 'limits', 'min_amount'], '', undefined],
    [['options', '0', 'limits'], 'none', {}],
    [['description'], 7, null],
    [['return_urls', 'fail_url'], 7, null],
    [['server_time'], 7, ''],
    [['poll_after_ms'], -1, 2000],
    [['stale'], 'no', false],
  ];
  for (const [path, value, left] of members)
    it(`drops ${path.join('.')} alone and reports its path`, () => {
      const { checkout: decoded, dropped } = decodeWith(path, value);
      assert.deepEqual(dropped.length, 1);
      assert.equal(dropped[0]?.replaceAll(/\[(\d+)\]/g, '.$1').startsWith(path.join('.')), true);
      assert.deepEqual(valueAt(decoded, path), left);
    });

  it('drops a bank without a code and an option without an id, and keeps the others', () => {
    const option = fullCheckout.options.at(-1);
    const dropped: string[] = [];
    const { options } = decodeCheckout(
      { ...fullCheckout, options: [{ ...option, banks: [{ available: true }, ...(option?.banks ?? [])] }, {}] },
      '',
      (path) => dropped.push(path),
    );
    assert.deepEqual(dropped, ['options[0].banks[0]', 'options[1]']);
    assert.deepEqual(options, [option]);
  });

  it('throws for what says how much is owed, to whom, and in which state', () => {
    for (const [path, value] of [
      [['id'], 1],
      [['status'], 'PAID'],
      [['amount'], 1500],
      [['test'], 'yes'],
      [['options'], {}],
      [['invoice', 'id'], 1],
      [['invoice', 'amount'], ''],
    ] as const)
      assert.throws(() => decodeWith(path, value), TypeError, path.join('.'));
  });
});
