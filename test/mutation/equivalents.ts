import { ofContract } from './equivalents/contract.ts';
import { ofCore } from './equivalents/core.ts';
import type { Equivalent } from './equivalents/equivalent.ts';
import { ofHandler } from './equivalents/handler.ts';
import { ofRetry } from './equivalents/retry.ts';
import { ofStore } from './equivalents/store.ts';

export const equivalents: readonly Equivalent[] = [...ofContract, ...ofCore, ...ofRetry, ...ofStore, ...ofHandler];

/** Why a change needs no test, or undefined where it does. */
export function explanationOf(module: string, line: string, was: string, became: string): string | undefined {
  return equivalents.find(
    (known) =>
      known.module === module &&
      line.includes(known.line) &&
      was.startsWith(known.was) &&
      (known.became === undefined || known.became === became),
  )?.why;
}
