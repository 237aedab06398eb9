import type { Operation } from '../../../service-api.ts';
import { appliesTo, isTerminal, type ChangingFault, type Fault, type TerminalFault } from './fault-kinds.ts';

/** The combined effect of all faults that apply to one request. */
export interface FaultEffects {
  readonly latencyMs: number;
  readonly terminal: TerminalFault | undefined;
  /** Whether a repeated `external_id` gets a new invoice, whatever the settings say. */
  readonly isDuplicate: boolean;
  /** The faults that change members of the response, at most one of each kind. */
  readonly changes: readonly ChangingFault[];
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
 * The faults that are set, in the order in which they were added. Latencies add up. Only the first fault that decides the
 * response applies. Of the faults that change members, the first of each kind applies. A restart restores the initial faults.
 */
export class ActiveFaults {
  readonly #random: () => number;
  #entries: readonly Entry[] = [];
  #addedCount = 0;

  constructor(random: () => number, initialFaults: readonly Fault[] = []) {
    this.#random = random;
    this.add(initialFaults);
  }

  add(faults: readonly Fault[]): void {
    const entries = faults.map((fault) => ({
      id: `flt_${(this.#addedCount += 1)}`,
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

  /** Returns the effects of the faults on a request, and counts each fault that applies as fired. */
  effectsOn(operation: Operation, body: unknown): FaultEffects {
    let latencyMs = 0;
    let terminal: TerminalFault | undefined;
    let isDuplicate = false;
    const changes: ChangingFault[] = [];
    for (const entry of this.#entries) {
      const { fault } = entry;
      const hasEarlierTerminalFault = isTerminal(fault) && terminal !== undefined;
      if (hasEarlierTerminalFault || !appliesTo(fault, operation, body) || !tryToFire(entry)) continue;
      if (isTerminal(fault)) terminal = fault;
      else if (fault.kind === 'latency') latencyMs += fault.ms;
      else if (fault.kind === 'duplicate_create') isDuplicate = true;
      else if (!changes.some(({ kind }) => kind === fault.kind)) changes.push(fault);
    }
    return { latencyMs, terminal, isDuplicate, changes };
  }
}

/** Decides by `times` and `probability` whether a fault applies to this request, and counts it when it does. */
function tryToFire(entry: Entry): boolean {
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
