import type { Settings } from '../../src/sandbox/sandbox.ts';
import type { Defect } from './defects.ts';
import { dealt, Dice } from './dice.ts';
import { killPoints, type Kill, type KillPoint } from './kill-points.ts';
import { dealFault, serviceFaults, type DealtFault } from './service-faults.ts';
import { wireKinds, type WireFault } from './wire.ts';

export const databaseKinds = ['embedded', 'postgres'] as const;
export type DatabaseKind = (typeof databaseKinds)[number];

/** What a payer does after the first ask for requisites, one after another. */
export type Act = 'look' | 'ask again' | 'replace' | 'pay' | 'pay the first' | 'see it paid' | 'fail' | 'leave';
/** What becomes of an invoice that a payer was shown and that may still be paid when all is well again. */
export type Fate = 'pay' | 'fail' | 'expire' | 'pay late' | 'leave';
export type Method = 'pm_sbp' | 'pm_card' | 'pm_bank_transfer';

export interface PayerPlan {
  /** Milliseconds of ours. */
  readonly startMs: number;
  readonly method: Method;
  /** Pages that ask at the same time. */
  readonly tabs: number;
  readonly acts: readonly Act[];
  readonly fate: Fate;
}

/** All that a run does of its own will; when the machine lets it happen is not in it. */
export interface Plan {
  readonly seed: number;
  readonly database: DatabaseKind;
  readonly repeated: Settings['repeated_external_id'];
  /** How long an invoice can be paid, in the run's milliseconds. */
  readonly lifetimeMs: number;
  readonly faults: readonly DealtFault[];
  /** What is wrong with the way from the shop to the service, and from the payers to the shop. */
  readonly serviceWire: WireFault['kind'] | null;
  readonly shopWire: WireFault['kind'] | null;
  /** For each process of the shop, the deaths of its first lives. */
  readonly processes: readonly (readonly Kill[])[];
  readonly payers: readonly PayerPlan[];
  /** How long it all goes wrong, in milliseconds of ours. */
  readonly stormMs: number;
  readonly defect: Defect | null;
}

/** The plan of a seed. Seeds one after another deal all faults, points, modes, databases and numbers of processes. */
export function planOf(seed: number): Plan {
  const dice = new Dice(seed);
  const first = dealt(killPoints, seed + Math.floor(seed / killPoints.length));
  const names = [dealt(serviceFaults, 2 * seed), dealt(serviceFaults, 2 * seed + 1)];
  if (dice.chance(0.4)) names.push(dice.pick(serviceFaults));
  const deaths = [killOf(first, 1, dice), ...(dice.chance(0.4) ? [someKill(dice)] : [])];
  const hasTwo = Math.floor(seed / 2) % 2 === 1;
  return {
    seed,
    database: dealt(databaseKinds, seed + 1),
    repeated: dealt(['new', 'same', 'conflict'], seed),
    lifetimeMs: dice.pick([900_000, 900_000, 25_000]),
    faults: names.map((name) => dealFault(name, dice)),
    serviceWire: seed % 3 === 1 ? null : dealt(wireKinds, seed),
    shopWire: dice.chance(0.3) ? dice.pick(['latency', 'reset', 'cut']) : null,
    processes: hasTwo ? [deaths, dice.chance(0.5) ? [someKill(dice)] : []] : [deaths],
    payers: Array.from({ length: dice.int(2, 4) }, () => payerOf(dice)),
    stormMs: dice.int(1200, 2500),
    defect: null,
  };
}

function someKill(dice: Dice): Kill {
  return killOf(dice.pick(killPoints), dice.pick([1, 1, 2]), dice);
}

function killOf(point: KillPoint, nth: number, dice: Dice): Kill {
  return { point, nth, afterMs: point === 'any moment' ? dice.int(200, 1500) : dice.int(0, 60) };
}

const scripts: readonly [readonly Act[], ...(readonly Act[])[]] = [
  ['look'],
  ['pay'],
  ['look', 'ask again', 'pay'],
  ['replace', 'look', 'pay the first'],
  ['replace', 'pay the first', 'pay'],
  ['replace', 'replace', 'look'],
  ['fail', 'ask again', 'look'],
  ['leave'],
  ['ask again', 'leave'],
];

function payerOf(dice: Dice): PayerPlan {
  return {
    startMs: dice.int(0, 400),
    method: dice.pick(['pm_sbp', 'pm_card', 'pm_bank_transfer']),
    tabs: dice.pick([1, 1, 2]),
    acts: dice.pick(scripts),
    fate: dice.pick(['pay', 'pay', 'fail', 'expire', 'pay late', 'leave']),
  };
}

/** A plan in a few lines, for a person who looks for what went wrong. */
export function describePlan({ processes, payers, faults, ...plan }: Plan): string {
  const kills = processes.map((list) => list.map(({ point, nth }) => `${point} (${nth})`).join(', then ') || 'lives');
  return [
    `seed ${plan.seed}: ${plan.database}, repeated external_id: ${plan.repeated}, lifetime ${plan.lifetimeMs} ms`,
    `  processes: ${kills.join(' | ')}${plan.defect === null ? '' : `; wrong: ${plan.defect}`}`,
    `  faults: ${faults.map(({ fault }) => JSON.stringify(fault)).join(' ')}`,
    `  wires: service ${plan.serviceWire ?? 'whole'}, shop ${plan.shopWire ?? 'whole'}; storm ${plan.stormMs} ms`,
    ...payers.map(
      ({ method, tabs, startMs, acts, fate }, number) =>
        `  payer ${number}: ${method} in ${tabs} at ${startMs} ms, ${acts.join(', ')}; fate: ${fate}`,
    ),
  ].join('\n');
}
