import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { z } from 'zod';
import { issueText } from '../../src/base/zod-issue-text.ts';

const schema = z.object({ items: z.array(z.object({ quantity: z.int('must be a whole number') })) });
const issueOf = (value: unknown) => schema.safeParse(value).error?.issues[0];

suite('issueText', () => {
  test('returns the path of the invalid member and the message', () =>
    assert.equal(
      issueText(issueOf({ items: [{ quantity: 1.5 }] }), 'body'),
      'items.0.quantity: must be a whole number',
    ));
  test('returns the name of the whole value when the issue has no path', () =>
    assert.match(issueText(issueOf('text'), 'body'), /^body: .*expected object/));
  test('returns a general text when there is no issue', () =>
    assert.equal(issueText(undefined, 'body'), 'body: is not valid'));
});
