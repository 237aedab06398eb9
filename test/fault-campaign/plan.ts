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

/** What a payer does after the first create request, one after another. */
export type PayerAction =
  'read' | 'create again' | 'replace' | 'pay' | 'pay the first' | 'wait until paid' | 'fail' | 'leave';
/** How an invoice that can still be paid ends after the faults. */
export type InvoiceEnd = 'pay' | 'fail' | 'expire' | 'pay late' | 'leave';
export type Method = 'pm_sbp' | 'pm_card' | 'pm_bank_transfer';

export interface PayerPlan {
  /** Milliseconds of real time after the start of the run. */
  readonly startMs: number;
  readonly method: Method;
  /** Pages that send the create request at the same time. */
  readonly tabs: number;
  readonly actions: readonly PayerAction[];
  readonly invoiceEnd: InvoiceEnd;
}

/** All that a seed determines. The timing of a run still depends on the machine. */
export interface Plan {
  readonly seed: number;
  readonly database: DatabaseKind;
  readonly repeated: Settings['repeated_external_id'];
  /** How long an invoice can be paid, in the run's milliseconds. */
  readonly lifetimeMs: number;
  readonly faults: readonly PlannedFault[];
  /** The faults of the connections from the shop to the service, and from the payers to the shop. */
  readonly serviceProxyFault: ProxyFault['kind'] | null;
  readonly shopProxyFault: ProxyFault['kind'] | null;
  /** For each process of the shop, when it is killed, restart by restart. */
  readonly processes: readonly (readonly Kill[])[];
  readonly payers: readonly PayerPlan[];
  /** How long the faults last, in milliseconds of real time. */
  readonly faultsForMs: number;
  readonly defect: Defect | null;
}

/** The plan of a seed. Consecutive seeds cover all faults, kill points, modes, databases and numbers of processes. */
export function planOf(seed: number): Plan {
  const random = new SeededRandom(seed);
  const first = itemAt(killPoints, seed + Math.floor(seed / killPoints.length));
  const names = [itemAt(serviceFaults, 2 * seed), itemAt(serviceFaults, 2 * seed + 1)];
  if (random.chance(0.4)) names.push(random.pick(serviceFaults));
  const kills = [killOf(first, 1, random), ...(random.chance(0.4) ? [someKill(random)] : [])];
  const hasTwo = Math.floor(seed / 2) % 2 === 1;
  return {
    seed,
    database: itemAt(databaseKinds, seed + 1),
    repeated: itemAt(['new', 'same', 'conflict'], seed),
    lifetimeMs: random.pick([900_000, 900_000, 25_000]),
    faults: [...names.map((name) => planFault(name, random)), ...answerFaultsOf(seed)],
    serviceProxyFault: seed % 3 === 1 ? null : itemAt(proxyFaultKinds, seed),
    shopProxyFault: random.chance(0.3) ? random.pick(['latency', 'reset', 'cut']) : null,
    processes: hasTwo ? [kills, random.chance(0.5) ? [someKill(random)] : []] : [kills],
    payers: Array.from({ length: random.int(2, 4) }, () => payerOf(random)),
    faultsForMs: random.int(1200, 2500),
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

const scripts: readonly [readonly PayerAction[], ...(readonly PayerAction[])[]] = [
  ['read'],
  ['pay'],
  ['read', 'create again', 'pay'],
  ['replace', 'read', 'pay the first'],
  ['replace', 'pay the first', 'pay'],
  ['replace', 'replace', 'read'],
  ['fail', 'create again', 'read'],
  ['leave'],
  ['create again', 'leave'],
];

function payerOf(random: SeededRandom): PayerPlan {
  return {
    startMs: random.int(0, 400),
    method: random.pick(['pm_sbp', 'pm_card', 'pm_bank_transfer']),
    tabs: random.pick([1, 1, 2]),
    actions: random.pick(scripts),
    invoiceEnd: random.pick(['pay', 'pay', 'fail', 'expire', 'pay late', 'leave']),
  };
}

/** A plan in a few lines, for the report of a failed run. */
export function describePlan({ processes, payers, faults, ...plan }: Plan): string {
  const kills = processes.map(
    (list) => list.map(({ point, nth }) => `${point} (${nth})`).join(', then ') || 'not killed',
  );
  return [
    `seed ${plan.seed}: ${plan.database}, repeated external_id: ${plan.repeated}, lifetime ${plan.lifetimeMs} ms`,
    `  processes: ${kills.join(' | ')}${plan.defect === null ? '' : `; defect: ${plan.defect}`}`,
    `  faults: ${faults.map(({ fault }) => JSON.stringify(fault)).join(' ')}`,
    `  proxies: service ${plan.serviceProxyFault ?? 'none'}, shop ${plan.shopProxyFault ?? 'none'}; faults for ${plan.faultsForMs} ms`,
    ...payers.map(
      ({ method, tabs, startMs, actions, invoiceEnd }, number) =>
        `  payer ${number}: ${method} in ${tabs} at ${startMs} ms, ${actions.join(', ')}; then ${invoiceEnd}`,
    ),
  ].join('\n');
}
