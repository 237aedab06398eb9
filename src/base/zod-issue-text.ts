import { maxIdentifierLength } from './text-limits.ts';

/** An issue of zod: one invalid member of a value. */
interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/**
 * The text of an issue, such as `items.0.quantity: must be positive`. `root` is the name of the whole value, for an issue
 * without a path.
 */
export function issueText(issue: Issue | undefined, root: string, separator = ': '): string {
  const path = issue?.path.map(String).join('.').slice(0, maxIdentifierLength) ?? '';
  return `${path === '' ? root : path}${separator}${issue?.message ?? 'is not valid'}`;
}
