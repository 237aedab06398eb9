import type { Fault } from '../../src/tools/sandbox/create-sandbox.ts';
import { fault } from '../../src/tools/sandbox/faults/fault-kinds.ts';
import type { SeededRandom } from './seeded-random.ts';

type Operation = Fault['operation'];

/** The faults of the service that plans contain. */
export const serviceFaults = [
  'latency',
  'status 500',
  'status 503',
  'status 504',
  'status after the work',
  'too many',
  'reset',
  'lost',
  'truncate',
  'garbage',
  'stall',
  'wrong amount',
  'unknown status',
] as const;
export type ServiceFault = (typeof serviceFaults)[number];

/** Responses that the service's specification leaves open. Each plan contains one, from the seed `firstUnspecifiedSeed` on. */
export const unspecifiedFaults = [
  'QR refused',
  'late create',
  'duplicate create',
  'no requisites',
  'times in another form',
  'empty values',
  'no bank available',
  'batch refused',
] as const;
type UnspecifiedFault = (typeof unspecifiedFaults)[number];
export const firstUnspecifiedSeed = 100;

/** A fault of a plan. */
export interface PlannedFault {
  readonly name: ServiceFault | UnspecifiedFault;
  readonly fault: Fault;
}

export function planFault(name: ServiceFault, random: SeededRandom): PlannedFault {
  return { name, fault: createFault(name, random) };
}

/** Creates a fault of that name for the sandbox's control API. Its durations are in the run's time. */
function createFault(name: ServiceFault, random: SeededRandom): Fault {
  const operation = random.pick<Operation>(['CreateInvoice', 'CreateInvoice', 'FetchInvoices', '*']);
  const frequency = random.chance(0.5)
    ? { times: random.int(1, 5) }
    : { probability: random.int(3, 8) / 10, seed: random.int(1, 1e6) };
  const target = { operation, ...frequency };
  switch (name) {
    case 'latency':
      return { ...target, kind: 'latency', ms: random.pick<number>([300, 2000, 6000, 13_000]) };
    case 'status 500':
      return { ...target, kind: 'status', status: 500 };
    case 'status 503':
      return {
        ...target,
        kind: 'status',
        status: 503,
        body: { code: random.pick<string>(['internal', 'unavailable']) },
      };
    case 'status 504':
      return { ...target, kind: 'status', status: 504 };
    case 'status after the work':
      return { ...target, kind: 'status', status: random.pick<number>([500, 502, 504]), after_work: true };
    case 'too many':
      return { ...target, kind: 'status', status: 429, headers: { 'retry-after': '3' } };
    case 'reset':
    case 'lost':
    case 'truncate':
    case 'garbage':
      return { ...target, kind: name };
    case 'stall':
      return { ...target, kind: 'stall', at: random.pick(['headers', 'body']) };
    case 'wrong amount':
      return { operation: 'CreateInvoice', times: random.int(1, 2), kind: 'wrong_amount' };
    case 'unknown status':
      return {
        ...frequency,
        operation: 'FetchInvoices',
        kind: 'unknown_status',
        value: random.pick<string | number>(['HELD', 7]),
      };
  }
}

/** Creates a fault by which the service responds in a way that its specification leaves open. */
function createUnspecifiedFault(name: UnspecifiedFault, random: SeededRandom): Fault {
  const frequency = { times: random.int(2, 6) };
  switch (name) {
    case 'QR refused':
      return fault.parse({
        ...frequency,
        kind: 'qr_refused',
        status: random.pick([400, 422, 500, 503]),
        shape: random.pick(['flat', 'nested', 'empty', 'html']),
      });
    case 'late create':
      return fault.parse({ ...frequency, kind: 'late_create', ms: random.pick([500, 3000, 12_000]) });
    case 'duplicate create':
      return fault.parse({ kind: 'duplicate_create' });
    case 'no requisites':
      return fault.parse({ ...frequency, kind: 'missing_fields', operation: 'CreateInvoice' });
    case 'times in another form':
      return fault.parse({ ...frequency, kind: 'time_format', format: random.pick(['no_zone', '+0300', '+03']) });
    case 'empty values':
      return fault.parse({ ...frequency, kind: 'empty_values' });
    case 'no bank available':
      return fault.parse({ ...frequency, kind: 'banks_unavailable' });
    case 'batch refused':
      return fault.parse({ ...frequency, kind: 'batch_refused', status: random.pick([400, 413, 500]) });
  }
}

export function planUnspecifiedFault(name: UnspecifiedFault, random: SeededRandom): PlannedFault {
  return { name, fault: createUnspecifiedFault(name, random) };
}
