import { NotRun, type CheckoutKind } from './check.ts';
import type { ConformanceOptions, OrderKind } from './options.ts';

const missing: Readonly<Record<OrderKind, string>> = {
  priced: 'it needs one more fresh checkout: give --checkout again, --open-url or --open-command',
  typed:
    'it needs a checkout whose amount the payer types: give --typed-checkout, --open-typed-body or --open-typed-command',
};

/** Where the checks get their checkouts: those that were given, then those that are opened on demand. */
export class CheckoutSource {
  /** Every capability that was handed out. */
  readonly used = new Set<string>();
  readonly #given: Readonly<Record<OrderKind, string[]>>;
  readonly #open: ConformanceOptions['open'];
  #first: Promise<string> | undefined;

  constructor({ checkouts = [], typedCheckouts = [], open }: ConformanceOptions) {
    this.#given = { priced: [...checkouts], typed: [...typedCheckouts] };
    this.#open = open;
  }

  /** A checkout for a group; the empty text where it needs none. */
  async take(kind: CheckoutKind): Promise<string> {
    if (kind === 'none') return '';
    if (kind === 'first') return (this.#first ??= this.#next('priced'));
    return this.#next(kind === 'typed' ? 'typed' : 'priced');
  }

  async #next(kind: OrderKind): Promise<string> {
    const capability = this.#given[kind].shift() ?? (await this.#open?.(kind));
    if (capability === undefined) throw new NotRun(missing[kind]);
    if (this.used.has(capability)) throw new NotRun('the shop gave the same checkout twice');
    this.used.add(capability);
    return capability;
  }
}
