import { SeededRandom } from '../support/seeded-random.ts';
import { serviceFaultNames, type ServiceFaultName } from './service-faults.ts';

/** What goes wrong besides the faults of the service, and what payers do besides paying. */
export const faultNames = [
  'store is slow',
  'store is away',
  'store commits without answering',
  'store loses notifications',
  'payers lose messages',
  'payers have slow messages',
  'payers repeat messages',
  'proxy cuts long polls',
  'service loses messages',
  'service has slow messages',
  'service repeats messages',
  'servers are killed',
  'servers stop for days',
  'clocks step',
  'shop fails',
  'shop hangs',
  'shop closes orders',
  'payers type amounts',
  'payers open several tabs',
  'payers reload',
  'devices sleep',
  'payers replace invoices',
  'payers pay twice',
  'payers pay late',
  'payers check and try again',
  'bank holds payments',
  'bank refuses payments',
  'bank pays failed invoices',
  'no notifications',
  'notification floods',
] as const;
export type FaultName = (typeof faultNames)[number];

/** Everything that a run depends on. A run with the same plan has the same trace. */
export interface Plan {
  readonly seed: number;
  /** How long payers come and faults happen, in hours of the simulation. */
  readonly hours: number;
  readonly store: 'memory' | 'sqlite';
  readonly faults: readonly FaultName[];
  readonly serviceFaults: readonly ServiceFaultName[];
  /** What the service does with a repeated `external_id`. */
  readonly repeatedExternalId: 'new' | 'same' | 'conflict';
  readonly invoiceLifetimeMs: number;
  /** The share of the payers' requests that are lost, and of the answers; of the service's messages half as many are lost. */
  readonly loss: number;
  /** The average number of steps of a server between its start and its kill. */
  readonly stepsBetweenKills: number;
  /** The average time between two orders. */
  readonly orderEveryMs: number;
}

const minuteMs = 60_000;

/** Each seed has a random half of the faults, so that no fault always hides another (swarm testing). */
export function planOf(seed: number, hours: number): Plan {
  const random = new SeededRandom(seed);
  return {
    seed,
    hours,
    store: random.chance(0.06) ? 'sqlite' : 'memory',
    faults: faultNames.filter(() => random.chance(0.4)),
    serviceFaults: serviceFaultNames.filter(() => random.chance(0.3)),
    repeatedExternalId: random.pick(['new', 'same', 'conflict']),
    loss: 0.04,
    stepsBetweenKills: 300,
    invoiceLifetimeMs: random.pick([2, 5, 15]) * minuteMs,
    orderEveryMs: random.pick([8, 16, 32]) * minuteMs,
  };
}
