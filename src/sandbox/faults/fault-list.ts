import type { Operation } from '../../contract.ts';
import type { Fault, FaultOf } from './fault.ts';

/** Those that decide how a request ends: at most one strikes. */
export type TerminalFault = Exclude<Fault, FaultOf<'latency' | 'wrong_amount' | 'unknown_status'>>;

/** What strikes one request. */
export interface FaultEffects {
  readonly latencyMs: number;
  readonly terminal: TerminalFault | undefined;
  readonly wrongAmount: boolean;
  /** The status to give to fetched invoices, or undefined. */
  readonly status: string | number | undefined;
}

/** A fault as the control API lists it: `fired` says how many requests it struck. */
export type ListedFault = Fault & { readonly id: string; readonly fired: number };

interface Entry {
  readonly id: string;
  readonly fault: Fault;
  readonly random: () => number;
  fired: number;
}

/**
 * The faults that are set, in the order in which they were added. Latencies add up, `wrong_amount` and `unknown_status`
 * go with any other, and of those that decide how the request ends the first one strikes. They are gone after a restart.
 */
export class FaultList {
  readonly #random: () => number;
  #entries: readonly Entry[] = [];
  #count = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  add(faults: readonly Fault[]): void {
    const entries = faults.map((fault) => ({
      id: `flt_${(this.#count += 1)}`,
      fault,
      random: fault.seed === undefined ? this.#random : seededRandom(fault.seed),
      fired: 0,
    }));
    this.#entries = [...this.#entries, ...entries];
  }

  list(): readonly ListedFault[] {
    return this.#entries.map(({ id, fault, fired }) => ({ id, ...fault, fired }));
  }

  clear(): void {
    this.#entries = [];
  }

  /** Removes one; tells whether it was there. */
  remove(id: string): boolean {
    const left = this.#entries.filter((entry) => entry.id !== id);
    const wasThere = left.length < this.#entries.length;
    this.#entries = left;
    return wasThere;
  }

  /** What strikes a request of an operation. It counts as fired whatever the request's answer is. */
  effectsOn(operation: Operation): FaultEffects {
    let latencyMs = 0;
    let ending: TerminalFault | undefined;
    let wrongAmount = false;
    let status: string | number | undefined;
    for (const entry of this.#entries) {
      const { fault } = entry;
      if (!appliesTo(fault, operation) || (isTerminal(fault) && ending !== undefined) || !consume(entry)) continue;
      if (fault.kind === 'latency') latencyMs += fault.ms;
      else if (fault.kind === 'wrong_amount') wrongAmount = true;
      else if (fault.kind === 'unknown_status') status ??= fault.value ?? 'SANDBOX_UNKNOWN';
      else ending = fault;
    }
    return { latencyMs, terminal: ending, wrongAmount, status };
  }
}

function appliesTo(fault: Fault, operation: Operation): boolean {
  if (fault.kind === 'unknown_status') return operation === 'FetchInvoices';
  if (fault.kind === 'wrong_amount' && operation === 'FetchPaymentOptions') return false;
  return fault.operation === '*' || fault.operation === operation;
}

function isTerminal(fault: Fault): fault is TerminalFault {
  return fault.kind !== 'latency' && fault.kind !== 'wrong_amount' && fault.kind !== 'unknown_status';
}

function consume(entry: Entry): boolean {
  const { times, probability = 1 } = entry.fault;
  if (times !== undefined && entry.fired >= times) return false;
  if (probability < 1 && entry.random() >= probability) return false;
  entry.fired += 1;
  return true;
}

/** Mulberry32: numbers from 0 to 1 that repeat for a seed. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
