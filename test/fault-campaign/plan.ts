import type { Settings } from '../../src/sandbox/create-sandbox.ts';
import type { Defect } from './defects.ts';
import { itemAt, SeededRandom } from './seeded-random.ts';
import { killPoints, type Kill, type KillPoint } from './kill-points.ts';
import {
  answerFaults,
  firstAnswerSeed,
  planAnswerFault,
  planFault,
  serviceFaults,
  type PlannedFault,
} from './service-faults.ts';
import { proxyFaultKinds, type ProxyFault } from './tcp-fault-proxy.ts';

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
  readonly faults: readonly PlannedFault[];
  /** What is wrong with the way from the shop to the service, and from the payers to the shop. */
  readonly serviceProxyFault: ProxyFault['kind'] | null;
  readonly shopProxyFault: ProxyFault['kind'] | null;
  /** For each process of the shop, the deaths of its first lives. */
  readonly processes: readonly (readonly Kill[])[];
  readonly payers: readonly PayerPlan[];
  /** How long it all goes wrong, in milliseconds of ours. */
  readonly stormMs: number;
  readonly defect: Defect | null;
}

/** The plan of a seed. Seeds one after another deal all faults, points, modes, databases and numbers of processes. */
export function planOf(seed: number): Plan {
  const random = new SeededRandom(seed);
  const first = itemAt(killPoints, seed + Math.floor(seed / killPoints.length));
  const names = [itemAt(serviceFaults, 2 * seed), itemAt(serviceFaults, 2 * seed + 1)];
  if (random.chance(0.4)) names.push(random.pick(serviceFaults));
  const deaths = [killOf(first, 1, random), ...(random.chance(0.4) ? [someKill(random)] : [])];
  const hasTwo = Math.floor(seed / 2) % 2 === 1;
  return {
    seed,
    database: itemAt(databaseKinds, seed + 1),
    repeated: itemAt(['new', 'same', 'conflict'], seed),
    lifetimeMs: random.pick([900_000, 900_000, 25_000]),
    faults: [...names.map((name) => planFault(name, random)), ...answerFaultsOf(seed)],
    serviceProxyFault: seed % 3 === 1 ? null : itemAt(proxyFaultKinds, seed),
    shopProxyFault: random.chance(0.3) ? random.pick(['latency', 'reset', 'cut']) : null,
    processes: hasTwo ? [deaths, random.chance(0.5) ? [someKill(random)] : []] : [deaths],
    payers: Array.from({ length: random.int(2, 4) }, () => payerOf(random)),
    stormMs: random.int(1200, 2500),
    defect: null,
  };
}

function answerFaultsOf(seed: number): readonly PlannedFault[] {
  if (seed < firstAnswerSeed) return [];
  return [planAnswerFault(itemAt(answerFaults, seed), new SeededRandom(seed))];
}

function someKill(random: SeededRandom): Kill {
  return killOf(random.pick(killPoints), random.pick([1, 1, 2]), random);
}

function killOf(point: KillPoint, nth: number, random: SeededRandom): Kill {
  return { point, nth, afterMs: point === 'any moment' ? random.int(200, 1500) : random.int(0, 60) };
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

function payerOf(random: SeededRandom): PayerPlan {
  return {
    startMs: random.int(0, 400),
    method: random.pick(['pm_sbp', 'pm_card', 'pm_bank_transfer']),
    tabs: random.pick([1, 1, 2]),
    acts: random.pick(scripts),
    fate: random.pick(['pay', 'pay', 'fail', 'expire', 'pay late', 'leave']),
  };
}

/** A plan in a few lines, for a person who looks for what went wrong. */
export function describePlan({ processes, payers, faults, ...plan }: Plan): string {
  const kills = processes.map((list) => list.map(({ point, nth }) => `${point} (${nth})`).join(', then ') || 'lives');
  return [
    `seed ${plan.seed}: ${plan.database}, repeated external_id: ${plan.repeated}, lifetime ${plan.lifetimeMs} ms`,
    `  processes: ${kills.join(' | ')}${plan.defect === null ? '' : `; wrong: ${plan.defect}`}`,
    `  faults: ${faults.map(({ fault }) => JSON.stringify(fault)).join(' ')}`,
    `  proxies: service ${plan.serviceProxyFault ?? 'whole'}, shop ${plan.shopProxyFault ?? 'whole'}; storm ${plan.stormMs} ms`,
    ...payers.map(
      ({ method, tabs, startMs, acts, fate }, number) =>
        `  payer ${number}: ${method} in ${tabs} at ${startMs} ms, ${acts.join(', ')}; fate: ${fate}`,
    ),
  ].join('\n');
}
