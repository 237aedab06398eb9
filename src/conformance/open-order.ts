import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { reasonOf } from './backend.ts';
import type { OrderKind } from './options.ts';
import { CannotRun } from './report.ts';

/** How the shop is asked for a new order. */
export interface Openers {
  readonly url: string | undefined;
  readonly bodies: Readonly<Record<OrderKind, string | undefined>>;
  readonly commands: Readonly<Record<OrderKind, string | undefined>>;
}

const opened = z.object({ checkout: z.string().min(1) });
const run = promisify(exec);
const timeoutMs = 20_000;

/** Opens orders by a command, or by a POST to the shop; undefined where neither was given for the kind. */
export function openBy({ url, bodies, commands }: Openers): (kind: OrderKind) => Promise<string | undefined> {
  return async (kind) => {
    const command = commands[kind];
    if (command !== undefined) return byCommand(command);
    const body = bodies[kind];
    if (url === undefined || (kind === 'typed' && body === undefined)) return undefined;
    return byPost(url, body ?? '{}');
  };
}

async function byCommand(command: string): Promise<string> {
  try {
    const { stdout } = await run(command, { timeout: timeoutMs });
    return capabilityIn(stdout.trim());
  } catch (error) {
    throw new CannotRun(`the command that opens a checkout failed: ${reasonOf(error)}`, { cause: error });
  }
}

async function byPost(url: string, body: string): Promise<string> {
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

/** A capability as it stands, or in JSON as "checkout". */
function capabilityIn(text: string): string {
  if (!text.startsWith('{')) {
    if (/^\S+$/.test(text)) return text;
    throw new Error('it printed no capability');
  }
  const json: unknown = JSON.parse(text);
  const { data } = opened.safeParse(json);
  if (data === undefined) throw new Error('there is no "checkout" in the JSON');
  return data.checkout;
}
