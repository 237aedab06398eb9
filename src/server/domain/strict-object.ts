import { z } from 'zod';
import { issueText } from '../../base/zod-issue-text.ts';

/** An object with these members and no others: an unknown member is refused by its name. */
export function strictObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? unknownMember(issue.keys[0] ?? '', names) : 'must be an object',
  });
}

function unknownMember(unknown: string, names: readonly string[]): string {
  const similar = names.find((name) => comparable(name) === comparable(unknown));
  return similar === undefined ? 'is unknown' : `is unknown: did you mean ${similar}?`;
}

function comparable(name: string): string {
  return name.replaceAll(/[^a-z\d]/gi, '').toLowerCase();
}

/**
 * The text of the issue to correct first, such as `orderID: is unknown: did you mean orderId?`. An unknown member is
 * reported before a missing one, because it may be the missing one with a wrong name.
 */
export function firstIssueText({ issues }: z.core.$ZodError, root: string): string {
  const unknown = issues.find((issue) => issue.code === 'unrecognized_keys');
  return unknown === undefined
    ? issueText(issues[0], root)
    : issueText({ path: [...unknown.path, unknown.keys[0] ?? ''], message: unknown.message }, root);
}
