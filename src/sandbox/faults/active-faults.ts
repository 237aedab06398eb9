import type { Operation } from '../../contract.ts';
import type { Fault, FaultOf } from './fault-kinds.ts';

/** Faults that decide the response. At most one of them applies to a request. */
export type TerminalFault = Exclude<Fault, FaultOf<'latency' | 'wrong_amount' | 'unknown_status'>>;

/** The combined effect of all faults that apply to one request. */
export interface FaultEffects {
  readonly latencyMs: number;
  readonly terminal: TerminalFault | undefined;
  readonly wrongAmount: boolean;
  /** The status to give to fetched invoices, or undefined. */
  readonly status: string | number | undefined;
}

/** A fault as the control API lists it. `fired` is the number of requests to which it was applied. */
export type ListedFault = Fault & { readonly id: string; readonly fired: number };

interface Entry {
  readonly id: string;
  readonly fault: Fault;
  readonly random: () => number;
  fired: number;
}

/**
 * The faults in the order in which they were added. Latencies add up, and `wrong_amount` and `unknown_status` combine with
 * any other fault. Of those that decide the response the first one applies. A restart removes all faults.
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

  /** Removes a fault; returns whether it existed. */
  remove(id: string): boolean {
    const remaining = this.#entries.filter((entry) => entry.id !== id);
    const existed = remaining.length < this.#entries.length;
    this.#entries = remaining;
    return existed;
  }

  /** The effects of the faults on a request of an operation. Each fault that applies counts as fired. */
  effectsOn(operation: Operation): FaultEffects {
    let latencyMs = 0;
    let terminal: TerminalFault | undefined;
    let wrongAmount = false;
    let status: string | number | undefined;
    for (const entry of this.#entries) {
      const { fault } = entry;
      if (!appliesTo(fault, operation) || (isTerminal(fault) && terminal !== undefined) || !consume(entry)) continue;
      if (fault.kind === 'latency') latencyMs += fault.ms;
      else if (fault.kind === 'wrong_amount') wrongAmount = true;
      else if (fault.kind === 'unknown_status') status ??= fault.value ?? 'SANDBOX_UNKNOWN';
      else terminal = fault;
    }
    return { latencyMs, terminal, wrongAmount, status };
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
