import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkout, checkoutInvoice } from '../../src/checkout-api.ts';
import { documentOf } from './documents.ts';

// Each JSON sample in docs/checkout-api.md matches its schema, and has every member of it.
const samples = documentOf('docs/checkout-api.md').blocks.filter(({ language }) => language === 'jsonc');

/** Parses JSON with comments. */
function parse(code: string): object {
  const members: unknown = JSON.parse(code.replaceAll(/\/\*.*?\*\/|(?<=\s)\/\/ ?.*/g, ''));
  return typeof members === 'object' && members !== null ? members : assert.fail();
}

const schemas = [checkout, checkoutInvoice];
for (const [index, { place, code }] of samples.entries())
  test(`the sample at ${place} matches its schema and has all of its members`, () => {
    const schema = schemas[index] ?? assert.fail('no schema is known for it');
    const sample = parse(code);
    schema.parse(sample);
    assert.deepEqual(Object.keys(sample).sort(), Object.keys(schema.shape).sort());
  });

test('docs/checkout-api.md has one sample for each schema', () => {
  assert.equal(samples.length, schemas.length);
});
