/** An issue of zod: one invalid member of a value. */
interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The text of an issue, such as `items.0.quantity: must be positive`. `root` names the value where the path is empty. */
export function issueText(issue: Issue | undefined, root: string, separator = ': '): string {
  const field = issue?.path.map(String).join('.') ?? '';
  return `${field === '' ? root : field}${separator}${issue?.message ?? 'is not valid'}`;
}
