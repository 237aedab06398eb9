import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { decimal, duration, timestamp } from '../../src/service-api.ts';

for (const { name, schema, invalidText, reason } of [
  {
    name: 'Decimal',
    schema: decimal,
    invalidText: '1e3',
    reason: 'must be a decimal number in a string, such as "100.00"',
  },
  { name: 'Duration', schema: duration, invalidText: '4', reason: 'must be a duration such as "4s"' },
  { name: 'Timestamp', schema: timestamp, invalidText: '2026-11-20', reason: 'must be an RFC 3339 timestamp' },
])
  suite(`the schema ${name}`, () => {
    test('accepts its own examples', () => {
      const examples = schema.meta()?.['examples'];
      assert.ok(Array.isArray(examples) && examples.length > 0);
      for (const example of examples) assert.equal(schema.parse(example), example);
    });
    test(`refuses ${invalidText} with a message that states the rule`, () => {
      assert.deepEqual(
        schema.safeParse(invalidText).error?.issues.map(({ message }) => message),
        [reason],
      );
    });
    test('has a name and a description for generated documents', () => {
      assert.equal(schema.meta()?.id, name);
      assert.match(schema.meta()?.description ?? '', /^An? .*\.$/);
    });
  });
