import { exec } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { rootCauseMessage } from './backend-client.ts';
import type { CheckoutKind } from './check.ts';
import type { ConformanceOptions, OrderKind } from './conformance-options.ts';
import { CannotRun } from './report.ts';
import { NotRun } from './expect.ts';

const missingCheckoutReasons: Readonly<Record<OrderKind, string>> = {
  priced: 'it needs one more fresh checkout: give --checkout again, --open-url or --open-command',
  typed:
    'it needs a checkout whose amount the payer types: give --typed-checkout, --open-typed-body or --open-typed-command',
};

/** Provides the groups of checks with checkouts: first those of the options, then those that it opens on demand. */
export class CheckoutProvider {
  /** Every capability that `takeCheckout` has returned. */
  readonly usedCapabilities = new Set<string>();
  readonly #suppliedCapabilities: Readonly<Record<OrderKind, string[]>>;
  readonly #open: ConformanceOptions['open'];
  #firstCapability: Promise<string> | undefined;

  constructor({ checkouts = [], typedCheckouts = [], open }: ConformanceOptions) {
    this.#suppliedCapabilities = { priced: [...checkouts], typed: [...typedCheckouts] };
    this.#open = open;
  }

  /** Returns the capability of a checkout for a group, or '' when the group needs none. Throws `NotRun` when there is no checkout. */
  async takeCheckout(kind: CheckoutKind): Promise<string> {
    if (kind === 'none') return '';
    if (kind === 'first') return (this.#firstCapability ??= this.#takeUnusedCapability('priced'));
    return this.#takeUnusedCapability(kind === 'typed' ? 'typed' : 'priced');
  }

  async #takeUnusedCapability(kind: OrderKind): Promise<string> {
    const capability = this.#suppliedCapabilities[kind].shift() ?? (await this.#open?.(kind));
    if (capability === undefined) throw new NotRun(missingCheckoutReasons[kind]);
    if (this.usedCapabilities.has(capability)) throw new NotRun('the shop gave the same checkout twice');
    this.usedCapabilities.add(capability);
    return capability;
  }
}

/** How to open new orders in the shop: by a POST to `url`, or by a command. */
export interface OpenerOptions {
  readonly url: string | undefined;
  readonly bodies: Readonly<Record<OrderKind, string | undefined>>;
  readonly commands: Readonly<Record<OrderKind, string | undefined>>;
}

const capability = z.string().min(1);
const openedOrderSchema = z.union([
  z.object({ checkout: capability }).transform(({ checkout }) => checkout),
  z.object({ capability }).transform((created) => created.capability),
]);
const execute = promisify(exec);
const timeoutMs = 20_000;

/** Creates the `open` option: a function that opens an order by a command or by a POST. It returns undefined when it has neither. */
export function createOrderOpener({
  url,
  bodies,
  commands,
}: OpenerOptions): (kind: OrderKind) => Promise<string | undefined> {
  return async (kind) => {
    const command = commands[kind];
    if (command !== undefined) return openByCommand(command);
    const body = bodies[kind];
    if (url === undefined || (kind === 'typed' && body === undefined)) return undefined;
    return openByPost(url, body ?? '{}', kind === 'typed' ? '--open-typed-body' : '--open-body');
  };
}

/** Creates the `close` option: a function that runs a command with the capability in the environment variable `CHECKOUT`. */
export function createCheckoutCloser(command: string): (capability: string) => Promise<void> {
  return async (capability) => {
    try {
      await execute(command, { timeout: timeoutMs, env: { ...process.env, CHECKOUT: capability } });
    } catch (error) {
      throw new CannotRun(`the command that closes a checkout failed: ${rootCauseMessage(error)}`, { cause: error });
    }
  };
}

async function openByCommand(command: string): Promise<string> {
  try {
    const { stdout } = await execute(command, { timeout: timeoutMs });
    return parseCapability(stdout.trim());
  } catch (error) {
    throw new CannotRun(`the command that opens a checkout failed: ${rootCauseMessage(error)}`, { cause: error });
  }
}

/** `option` is the one that has the body. */
async function openByPost(url: string, body: string, option: string): Promise<string> {
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(timeoutMs) });
    const text = await response.text();
    const isWrongBody = [400, 415, 422].includes(response.status);
    const cure = isWrongBody ? `: give the body of an order by ${option}` : '';
    if (!response.ok) throw new Error(`HTTP ${response.status} ${text.slice(0, 200)}${cure}`);
    return parseCapability(text);
  } catch (error) {
    throw new CannotRun(`${url} did not open a checkout: ${rootCauseMessage(error)}`, { cause: error });
  }
}

/** Returns the capability in the output of the shop: the whole text, or the member "checkout" or "capability" of a JSON object. */
function parseCapability(text: string): string {
  if (!text.startsWith('{')) {
    if (/^\S+$/.test(text)) return text;
    throw new Error('it printed no capability');
  }
  const json: unknown = JSON.parse(text);
  const { data } = openedOrderSchema.safeParse(json);
  if (data === undefined) throw new Error('there is no "checkout" in the JSON');
  return data;
}
