import type { Sample } from '../../../scripts/load/judge.ts';

/** A second of a load run in which a thousand payers wait and nothing happens. */
export const calmSample = (at: number): Sample => ({
  at,
  arriving: 0,
  waiting: 1000,
  served: 1000,
  held: 990,
  stale: 0,
  reads: { 304: 40 },
  creates: {},
  refusedMs: [],
  invoiceMs: [],
  fetches: 5,
  loopDelayMs: 12,
  memoryMegabytes: 300,
  cpu: { servers: 20, sandbox: 5, payers: 10, machine: 40 },
});
