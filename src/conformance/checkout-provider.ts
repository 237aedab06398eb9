import { exec } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { reasonOf } from './backend-client.ts';
import type { CheckoutKind } from './check.ts';
import type { ConformanceOptions, OrderKind } from './options.ts';
import { CannotRun } from './report.ts';
import { NotRun } from './violation.ts';

const missing: Readonly<Record<OrderKind, string>> = {
  priced: 'it needs one more fresh checkout: give --checkout again, --open-url or --open-command',
  typed:
    'it needs a checkout whose amount the payer types: give --typed-checkout, --open-typed-body or --open-typed-command',
};

/** Provides the checks with checkouts: first those that were given, then those that are opened on demand. */
export class CheckoutProvider {
  /** Every capability that `take` has returned. */
  readonly used = new Set<string>();
  readonly #given: Readonly<Record<OrderKind, string[]>>;
  readonly #open: ConformanceOptions['open'];
  #first: Promise<string> | undefined;

  constructor({ checkouts = [], typedCheckouts = [], open }: ConformanceOptions) {
    this.#given = { priced: [...checkouts], typed: [...typedCheckouts] };
    this.#open = open;
  }

  /** A checkout for a group; the empty string where the group needs none. Throws `NotRun` when there is no checkout. */
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

/** How new orders are opened in the shop. */
export interface OpenerOptions {
  readonly url: string | undefined;
  readonly bodies: Readonly<Record<OrderKind, string | undefined>>;
  readonly commands: Readonly<Record<OrderKind, string | undefined>>;
}

const openedOrder = z.object({ checkout: z.string().min(1) });
const execute = promisify(exec);
const timeoutMs = 20_000;

/** A function that opens orders by a command or by a POST to the shop. It resolves with undefined where neither was given. */
export function orderOpener({
  url,
  bodies,
  commands,
}: OpenerOptions): (kind: OrderKind) => Promise<string | undefined> {
  return async (kind) => {
    const command = commands[kind];
    if (command !== undefined) return openByCommand(command);
    const body = bodies[kind];
    if (url === undefined || (kind === 'typed' && body === undefined)) return undefined;
    return openByPost(url, body ?? '{}');
  };
}

/** A function that closes checkouts by a command, which gets the capability in the environment variable `CHECKOUT`. */
export function checkoutCloser(command: string): (checkout: string) => Promise<void> {
  return async (checkout) => {
    try {
      await execute(command, { timeout: timeoutMs, env: { ...process.env, CHECKOUT: checkout } });
    } catch (error) {
      throw new CannotRun(`the command that closes a checkout failed: ${reasonOf(error)}`, { cause: error });
    }
  };
}

async function openByCommand(command: string): Promise<string> {
  try {
    const { stdout } = await execute(command, { timeout: timeoutMs });
    return capabilityIn(stdout.trim());
  } catch (error) {
    throw new CannotRun(`the command that opens a checkout failed: ${reasonOf(error)}`, { cause: error });
  }
}

async function openByPost(url: string, body: string): Promise<string> {
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(timeoutMs) });
    const text = await response.text();
    if (!response.ok) throw new Error(`HTTP ${response.status} ${text.slice(0, 200)}`);
    return capabilityIn(text);
  } catch (error) {
    throw new CannotRun(`${url} did not open a checkout: ${reasonOf(error)}`, { cause: error });
  }
}

/** The capability in a text: the whole text, or the member "checkout" of JSON. */
function capabilityIn(text: string): string {
  if (!text.startsWith('{')) {
    if (/^\S+$/.test(text)) return text;
    throw new Error('it printed no capability');
  }
  const json: unknown = JSON.parse(text);
  const { data } = openedOrder.safeParse(json);
  if (data === undefined) throw new Error('there is no "checkout" in the JSON');
  return data.checkout;
}
