// The simulated payers of a load run: they poll or hold requests, and measure the time from the payment to their answer.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Connection, requestText, type Answer } from './http-connection.ts';
import { Latencies } from './latencies.ts';
import type { SeededPayer } from './place-orders.ts';

/** How payers ask: again after `everyMs`, or with answers that the server holds for `waitSeconds`. */
export type PollMode =
  { readonly by: 'polls'; readonly everyMs: number } | { readonly by: 'waits'; readonly waitSeconds: number };

/** What the payers of a phase met. */
export interface PhaseMeasurements {
  requests: number;
  responses: number;
  errors: number;
  /** How many errors of each kind. */
  readonly reasons: Map<string, number>;
  stale: number;
  /** From when an answer was due: for polls the time that the request was meant to be sent, for waits their end. */
  readonly latency: Latencies;
  /** From the sandbox's pay to the payer's answer. */
  readonly paidToPayer: Latencies;
}

interface Payer {
  readonly seeded: SeededPayer;
  readonly connection: Connection;
  etag: string;
  /** When the next request is meant to be sent. */
  sendAt: number;
  isAsking: boolean;
  paidAt: number | undefined;
  isDone: boolean;
  /** The last answer said that what is known is old. */
  isStale: boolean;
}

/** Node accepts one connection in each turn of its loop: faster ones would wait for the system to ask again. */
const connectsPerSecond = 125;

const picture = z.object({ status: z.string(), stale: z.boolean() });

/** Payers who wait for their payments, evenly spaced; who was paid goes home. */
export class WaitingPayers {
  readonly #payers: readonly Payer[];
  #asking: PollMode = { by: 'polls', everyMs: 2000 };
  #isOver = false;
  #isConnected = false;
  #rounds: Promise<void> | undefined;
  met = emptyMeasurements();

  constructor(port: number, seeded: readonly SeededPayer[]) {
    this.#payers = seeded.map((one) => ({
      seeded: one,
      connection: new Connection(port),
      etag: one.etag,
      sendAt: 0,
      isAsking: false,
      paidAt: undefined,
      isDone: false,
      isStale: false,
    }));
  }

  /**
   * Begins, evenly spaced, at first in as many waves as the connections need: many payers who arrive at once are not measured.
   * Returns how long it takes until all have begun, in milliseconds.
   */
  start(asking: PollMode): number {
    this.#asking = asking;
    this.#isOver = false;
    const periodMs = asking.by === 'polls' ? asking.everyMs : asking.waitSeconds * 1000;
    const { length } = this.#payers;
    const waves = this.#isConnected ? 1 : Math.ceil(length / connectsPerSecond / (periodMs / 1000));
    this.#isConnected = true;
    const now = performance.now();
    for (const [index, payer] of this.#payers.entries())
      payer.sendAt = now + (index % waves) * periodMs + (index * periodMs) / length;
    this.#rounds = this.#run();
    return waves * periodMs;
  }

  /** Lets answers that are under way come, for a while. */
  async stop(withinMs: number): Promise<void> {
    this.#isOver = true;
    await this.#rounds;
    const end = performance.now() + withinMs;
    while (this.#payers.some(({ isAsking }) => isAsking) && performance.now() < end) await sleep(20);
  }

  close(): void {
    for (const { connection } of this.#payers) connection.close();
  }

  /** Payers who were not paid, up to so many, in random order. */
  sample(count: number): readonly SeededPayer[] {
    const waiting = this.#payers.filter(({ paidAt }) => paidAt === undefined);
    const shuffled = waiting.map((payer) => ({ payer, key: Math.random() })).sort((one, other) => one.key - other.key);
    return shuffled.slice(0, count).map(({ payer }) => payer.seeded);
  }

  /** Notes that somebody's invoice is paid now. */
  paid(seeded: SeededPayer): void {
    const payer = this.#payers.find((one) => one.seeded === seeded);
    if (payer !== undefined) payer.paidAt = performance.now();
  }

  /** How many were paid and have not heard of it. */
  get unnotified(): number {
    return this.#payers.filter(({ paidAt, isDone }) => paidAt !== undefined && !isDone).length;
  }

  /** How many see what is old. */
  get stale(): number {
    return this.#payers.filter(({ isStale, isDone }) => isStale && !isDone).length;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const now = performance.now();
      for (const payer of this.#payers) if (payer.sendAt <= now && !payer.isAsking && !payer.isDone) this.#ask(payer);
      await sleep(1);
    }
  }

  #ask(payer: Payer): void {
    const asking = this.#asking;
    const { met } = this;
    const meantAt = payer.sendAt;
    const wait = asking.by === 'waits' ? { prefer: `wait=${asking.waitSeconds}` } : {};
    const headers = { 'if-none-match': payer.etag, ...wait };
    payer.isAsking = true;
    met.requests += 1;
    payer.connection.send(requestText('GET', `/checkout/${payer.seeded.checkoutId}`, headers), (answer) => {
      const now = performance.now();
      payer.isAsking = false;
      payer.sendAt = asking.by === 'polls' ? meantAt + asking.everyMs : now;
      if (answer instanceof Error || (answer.status !== 200 && answer.status !== 304)) {
        countError(met, answer instanceof Error ? answer.message : `status ${answer.status}`);
        payer.sendAt = Math.max(payer.sendAt, now + 1000);
        return;
      }
      met.responses += 1;
      const dueAt = asking.by === 'polls' ? meantAt : meantAt + asking.waitSeconds * 1000;
      if (asking.by === 'polls' || answer.status === 304) met.latency.add(Math.max(0, now - dueAt));
      if (answer.status === 200) this.#look(payer, answer, now);
      if (payer.isStale) met.stale += 1;
    });
  }

  #look(payer: Payer, { body, etag }: Answer, now: number): void {
    const { status, stale } = picture.parse(JSON.parse(body));
    payer.etag = etag;
    payer.isStale = stale;
    if (status !== 'paid') return;
    payer.isDone = true;
    if (payer.paidAt === undefined)
      this.met.errors += 1; // nobody has paid that
    else this.met.paidToPayer.add(now - payer.paidAt);
  }
}

function countError(met: PhaseMeasurements, reason: string): void {
  met.errors += 1;
  met.reasons.set(reason, (met.reasons.get(reason) ?? 0) + 1);
}

export function emptyMeasurements(): PhaseMeasurements {
  return {
    requests: 0,
    responses: 0,
    errors: 0,
    reasons: new Map(),
    stale: 0,
    latency: new Latencies(),
    paidToPayer: new Latencies(),
  };
}
