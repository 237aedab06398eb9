/**
 * Wrong options. `message` has each wrong option with its path and the rule, such as `timing.slowMs: must not be shorter than
 * timing.fastMs`; `path` is the first of them.
 */
export class CheckoutOptionsError extends TypeError {
  override readonly name = 'CheckoutOptionsError';
  readonly code = 'invalid_options';
  readonly path: string;

  constructor({ path, message }: { readonly path: string; readonly message: string }) {
    super(message);
    this.path = path;
  }
}

/** What is wrong with a value that is no object. */
export const mustBeObject = 'must be an object';

/** What is wrong with a member of an unknown name, with the name that is probably meant. */
export function unknownMemberText(unknownName: string, names: readonly string[]): string {
  const similar = names.find((name) => normalizeName(name) === normalizeName(unknownName));
  return similar === undefined ? 'is unknown' : `is unknown: did you mean ${similar}?`;
}

function normalizeName(name: string): string {
  return name.replaceAll(/[^a-z\d]/gi, '').toLowerCase();
}

/**
 * Checks that options have no other members than those of `names`. For the entries of a page, which have no schema: the types of the
 * members are not checked.
 *
 * @throws CheckoutOptionsError with each unknown member
 */
export function checkNames(root: string, options: unknown, names: readonly string[]): void {
  if (typeof options !== 'object' || options === null)
    throw new CheckoutOptionsError({ path: root, message: `${root}: ${mustBeObject}` });
  const unknownNames = Object.keys(options).filter((name) => !names.includes(name));
  const [path] = unknownNames;
  const lines = unknownNames.map((name) => `${name}: ${unknownMemberText(name, names)}`);
  if (path !== undefined) throw new CheckoutOptionsError({ path, message: lines.slice(0, maxLines).join('; ') });
}

/** How many wrong members are described. */
export const maxLines = 20;
