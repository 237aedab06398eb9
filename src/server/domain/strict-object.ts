import { z } from 'zod';
import { issueText } from '../../base/zod-issue-text.ts';

/** The schema of an object with these members and no others. The error for an unknown member has its name. */
export function strictObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? unknownMemberText(issue.keys[0] ?? '', names) : 'must be an object',
  });
}

function unknownMemberText(unknownName: string, names: readonly string[]): string {
  const similar = names.find((name) => normalizeName(name) === normalizeName(unknownName));
  return similar === undefined ? 'is unknown' : `is unknown: did you mean ${similar}?`;
}

function normalizeName(name: string): string {
  return name.replaceAll(/[^a-z\d]/gi, '').toLowerCase();
}

/**
 * The text of the issue to correct first, such as `orderID: is unknown: did you mean orderId?`. An unknown member is reported
 * before a missing member, because it may be the missing member under a wrong name.
 */
export function firstIssueText({ issues }: z.core.$ZodError, root: string): string {
  const unknownIssue = issues.find((issue) => issue.code === 'unrecognized_keys');
  return unknownIssue === undefined
    ? issueText(issues[0], root)
    : issueText({ path: [...unknownIssue.path, unknownIssue.keys[0] ?? ''], message: unknownIssue.message }, root);
}
