import type { Settings } from '../../src/tools/sandbox/create-sandbox.ts';
import type { Defect } from './defects.ts';
import { itemAt, SeededRandom } from './seeded-random.ts';
import { killPoints, type Kill, type KillPoint } from './kill-points.ts';
import {
  unspecifiedFaults,
  firstUnspecifiedSeed,
  planUnspecifiedFault,
  planFault,
  serviceFaults,
  type PlannedFault,
} from './service-faults.ts';
import { proxyFaultKinds, type ProxyFault } from './tcp-fault-proxy.ts';

export const databaseKinds = ['embedded', 'postgres'] as const;
export type DatabaseKind = (typeof databaseKinds)[number];

/** An action of a payer. The actions follow the first create request one after another. */
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

/** Everything that a seed determines. The timing of a run depends on the machine too. */
export interface Plan {
  readonly seed: number;
  readonly database: DatabaseKind;
  readonly repeatedExternalId: Settings['repeated_external_id'];
  /** How long an invoice can be paid, in the run's milliseconds. */
  readonly lifetimeMs: number;
  readonly faults: readonly PlannedFault[];
  /** The faults of the connections from the shop to the service, and from the payers to the shop. */
  readonly serviceProxyFault: ProxyFault['kind'] | null;
  readonly shopProxyFault: ProxyFault['kind'] | null;
  /** The kills of each process of the shop. Each restart has its own kill. */
  readonly processes: readonly (readonly Kill[])[];
  readonly payers: readonly PayerPlan[];
  /** How long the faults last, in milliseconds of real time. */
  readonly faultsForMs: number;
  readonly defect: Defect | null;
}

/** Returns the plan of a seed. Consecutive seeds cover all faults, kill points, modes, databases and numbers of processes. */
export function planOf(seed: number): Plan {
  const random = new SeededRandom(seed);
  const firstPoint = itemAt(killPoints, seed + Math.floor(seed / killPoints.length));
  const names = [itemAt(serviceFaults, 2 * seed), itemAt(serviceFaults, 2 * seed + 1)];
  if (random.chance(0.4)) names.push(random.pick(serviceFaults));
  const kills = [planKill(firstPoint, 1, random), ...(random.chance(0.4) ? [planRandomKill(random)] : [])];
  const hasTwoProcesses = Math.floor(seed / 2) % 2 === 1;
  return {
    seed,
    database: itemAt(databaseKinds, seed + 1),
    repeatedExternalId: itemAt(['new', 'same', 'conflict'], seed),
    lifetimeMs: random.pick([900_000, 900_000, 25_000]),
    faults: [...names.map((name) => planFault(name, random)), ...planUnspecifiedFaults(seed)],
    serviceProxyFault: seed % 3 === 1 ? null : itemAt(proxyFaultKinds, seed),
    shopProxyFault: random.chance(0.3) ? random.pick(['latency', 'reset', 'cut']) : null,
    processes: hasTwoProcesses ? [kills, random.chance(0.5) ? [planRandomKill(random)] : []] : [kills],
    payers: Array.from({ length: random.int(2, 4) }, () => planPayer(random)),
    faultsForMs: random.int(1200, 2500),
    defect: null,
  };
}

function planUnspecifiedFaults(seed: number): readonly PlannedFault[] {
  if (seed < firstUnspecifiedSeed) return [];
  return [planUnspecifiedFault(itemAt(unspecifiedFaults, seed), new SeededRandom(seed))];
}

function planRandomKill(random: SeededRandom): Kill {
  return planKill(random.pick(killPoints), random.pick([1, 1, 2]), random);
}

function planKill(point: KillPoint, nth: number, random: SeededRandom): Kill {
  return { point, nth, afterMs: point === 'any moment' ? random.int(200, 1500) : random.int(0, 60) };
}

const actionLists: readonly [readonly PayerAction[], ...(readonly PayerAction[])[]] = [
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

function planPayer(random: SeededRandom): PayerPlan {
  return {
    startMs: random.int(0, 400),
    method: random.pick(['pm_sbp', 'pm_card', 'pm_bank_transfer']),
    tabs: random.pick([1, 1, 2]),
    actions: random.pick(actionLists),
    invoiceEnd: random.pick(['pay', 'pay', 'fail', 'expire', 'pay late', 'leave']),
  };
}

/** Describes a plan in a few lines, for the report of a failed run. */
export function describePlan({ processes, payers, faults, ...plan }: Plan): string {
  const kills = processes.map(
    (kills) => kills.map(({ point, nth }) => `${point} (${nth})`).join(', then ') || 'not killed',
  );
  return [
    `seed ${plan.seed}: ${plan.database}, repeated external_id: ${plan.repeatedExternalId}, lifetime ${plan.lifetimeMs} ms`,
    `  processes: ${kills.join(' | ')}${plan.defect === null ? '' : `; defect: ${plan.defect}`}`,
    `  faults: ${faults.map(({ fault }) => JSON.stringify(fault)).join(' ')}`,
    `  proxies: service ${plan.serviceProxyFault ?? 'none'}, shop ${plan.shopProxyFault ?? 'none'}; faults for ${plan.faultsForMs} ms`,
    ...payers.map(
      ({ method, tabs, startMs, actions, invoiceEnd }, number) =>
        `  payer ${number}: ${method} in ${tabs} at ${startMs} ms, ${actions.join(', ')}; then ${invoiceEnd}`,
    ),
  ].join('\n');
}
