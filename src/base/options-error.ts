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
