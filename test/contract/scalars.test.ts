import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { decimal, duration, timestamp } from '../../src/contract.ts';

for (const { name, schema, other, told } of [
  { name: 'Decimal', schema: decimal, other: '1e3', told: 'must be a decimal number in a string, such as "100.00"' },
  { name: 'Duration', schema: duration, other: '4', told: 'must be a duration such as "4s"' },
  { name: 'Timestamp', schema: timestamp, other: '2026-11-20', told: 'must be an RFC 3339 timestamp' },
])
  suite(`the schema of a ${name}`, () => {
    test('reads its own examples', () => {
      const examples = schema.meta()?.['examples'];
      assert.ok(Array.isArray(examples) && examples.length > 0);
      for (const example of examples) assert.equal(schema.parse(example), example);
    });
    test(`refuses ${other} with a message that names the reason`, () => {
      assert.deepEqual(
        schema.safeParse(other).error?.issues.map(({ message }) => message),
        [told],
      );
    });
    test('has a name and a description for documents', () => {
      assert.equal(schema.meta()?.id, name);
      assert.match(schema.meta()?.description ?? '', /^An? .*\.$/);
    });
  });
