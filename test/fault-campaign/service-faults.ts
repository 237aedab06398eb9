import type { Fault } from '../../src/sandbox/create-sandbox.ts';
import { fault } from '../../src/sandbox/faults/fault-kinds.ts';
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

/** Answers that the service's specification leaves open. The plan of each seed from `firstAnswerSeed` on contains one. */
export const answerFaults = [
  'QR refused',
  'late create',
  'duplicate create',
  'no requisites',
  'times in another form',
  'empty values',
  'no bank available',
  'batch refused',
] as const;
type AnswerFault = (typeof answerFaults)[number];
export const firstAnswerSeed = 100;

/** A fault of a plan. */
export interface PlannedFault {
  readonly name: ServiceFault | AnswerFault;
  readonly fault: Fault;
}

export function planFault(name: ServiceFault, random: SeededRandom): PlannedFault {
  return { name, fault: makeFault(name, random) };
}

/** A fault of that name, for the sandbox's control API. Its durations are in the run's time. */
function makeFault(name: ServiceFault, random: SeededRandom): Fault {
  const operation = random.pick<Operation>(['CreateInvoice', 'CreateInvoice', 'FetchInvoices', '*']);
  const often = random.chance(0.5)
    ? { times: random.int(1, 5) }
    : { probability: random.int(3, 8) / 10, seed: random.int(1, 1e6) };
  const where = { operation, ...often };
  switch (name) {
    case 'latency':
      return { ...where, kind: 'latency', ms: random.pick<number>([300, 2000, 6000, 13_000]) };
    case 'status 500':
      return { ...where, kind: 'status', status: 500 };
    case 'status 503':
      return {
        ...where,
        kind: 'status',
        status: 503,
        body: { code: random.pick<string>(['internal', 'unavailable']) },
      };
    case 'status 504':
      return { ...where, kind: 'status', status: 504 };
    case 'status after the work':
      return { ...where, kind: 'status', status: random.pick<number>([500, 502, 504]), after_work: true };
    case 'too many':
      return { ...where, kind: 'status', status: 429, headers: { 'retry-after': '3' } };
    case 'reset':
    case 'lost':
    case 'truncate':
    case 'garbage':
      return { ...where, kind: name };
    case 'stall':
      return { ...where, kind: 'stall', at: random.pick(['headers', 'body']) };
    case 'wrong amount':
      return { operation: 'CreateInvoice', times: random.int(1, 2), kind: 'wrong_amount' };
    case 'unknown status':
      return {
        ...often,
        operation: 'FetchInvoices',
        kind: 'unknown_status',
        value: random.pick<string | number>(['HELD', 7]),
      };
  }
}

/** A fault by which the service answers in a way that its specification leaves open. */
function makeAnswerFault(name: AnswerFault, random: SeededRandom): Fault {
  const often = { times: random.int(2, 6) };
  switch (name) {
    case 'QR refused':
      return fault.parse({
        ...often,
        kind: 'qr_refused',
        status: random.pick([400, 422, 500, 503]),
        shape: random.pick(['flat', 'nested', 'empty', 'html']),
      });
    case 'late create':
      return fault.parse({ ...often, kind: 'late_create', ms: random.pick([500, 3000, 12_000]) });
    case 'duplicate create':
      return fault.parse({ kind: 'duplicate_create' });
    case 'no requisites':
      return fault.parse({ ...often, kind: 'missing_fields', operation: 'CreateInvoice' });
    case 'times in another form':
      return fault.parse({ ...often, kind: 'time_format', format: random.pick(['no_zone', '+0300', '+03']) });
    case 'empty values':
      return fault.parse({ ...often, kind: 'empty_values' });
    case 'no bank available':
      return fault.parse({ ...often, kind: 'banks_unavailable' });
    case 'batch refused':
      return fault.parse({ ...often, kind: 'batch_refused', status: random.pick([400, 413, 500]) });
  }
}

export function planAnswerFault(name: AnswerFault, random: SeededRandom): PlannedFault {
  return { name, fault: makeAnswerFault(name, random) };
}
