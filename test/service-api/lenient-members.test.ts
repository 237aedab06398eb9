import fc from 'fast-check';
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { z } from 'zod';
import { withoutEmpty } from '../../src/service-api.ts';
import { lenient, lenientList, openEnum, responseBody } from '../../src/service-api/invoice-service-operations.ts';
import { holds } from '../support/property-tests.ts';

const nestedObject = (depth: number): unknown => (depth === 0 ? 1 : { a: nestedObject(depth - 1) });

suite('withoutEmpty', () => {
  test('drops members that are null or an empty string at every depth, and keeps all others', () => {
    const value = { a: null, b: [{ c: null, d: 0 }], e: { f: null }, g: '', h: false };
    assert.deepEqual(withoutEmpty(value), { b: [{ d: 0 }], e: {}, h: false });
  });
  test('keeps metadata unchanged', () => {
    assert.deepEqual(withoutEmpty({ metadata: { a: null, b: { c: null } } }), {
      metadata: { a: null, b: { c: null } },
    });
  });
});

suite('responseBody', () => {
  const schema = responseBody(z.object({ id: z.string(), note: z.string().optional() }));

  test('ignores unknown members and null members', () => {
    holds(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (extra) => {
        assert.deepEqual(schema.parse({ ...extra, id: 'x', note: null }), { id: 'x' });
      }),
    );
  });
  test('accepts a value that is nested 100 levels deep', () =>
    assert.equal(schema.safeParse({ id: 'x', a: nestedObject(99) }).success, true));
  for (const depth of [100, 100_000])
    test(`refuses a member that is nested ${depth} levels deep, and does not throw`, () => {
      const body = `{"id":"x","a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
      const value: unknown = JSON.parse(body);
      assert.equal(schema.safeParse(value).success, false);
    });
  test('reports that the value nests too deeply', () => {
    const [issue] = schema.safeParse({ id: 'x', a: nestedObject(100) }).error?.issues ?? [];
    assert.equal(issue?.code, 'custom');
    assert.equal(issue.message, 'must not be nested deeper than 100, or have more than 10000 values');
  });
});

test('lenient treats a malformed member as missing', () => {
  const schema = z.object({ id: z.string(), note: lenient(z.string()) });
  assert.deepEqual(schema.parse({ id: 'x', note: 'n' }), { id: 'x', note: 'n' });
  assert.equal(schema.parse({ id: 'x', note: 5 }).note, undefined);
  assert.deepEqual(schema.parse({ id: 'x' }), { id: 'x' });
});

test('lenientList drops only malformed items, and treats any other value as an empty list', () => {
  const schema = z.object({ names: lenientList(z.string()) });
  assert.deepEqual(schema.parse({ names: ['a', 5, null, 'b'] }).names, ['a', 'b']);
  for (const names of [undefined, 5, 'a', {}]) assert.deepEqual(schema.parse({ names }).names, []);
});

test('openEnum keeps an unknown text, and a number as its digits', () => {
  assert.equal(openEnum.parse('REFUNDED'), 'REFUNDED');
  assert.equal(openEnum.parse(7), '7');
  for (const value of [true, {}, null]) assert.equal(openEnum.safeParse(value).success, false);
});
