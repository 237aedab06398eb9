/** What is wrong with one member of a value, as zod reports it. */
interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The text of an issue, such as `items.0.quantity: must be positive`. `root` stands for the value as a whole. */
export function issueText(issue: Issue | undefined, root: string, separator = ': '): string {
  const field = issue?.path.map(String).join('.') ?? '';
  return `${field === '' ? root : field}${separator}${issue?.message ?? 'is not valid'}`;
}
