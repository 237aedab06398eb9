// The simulated payers of a load run: they send plain polls or long polls, and measure the time from a payment to the response that shows it.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Connection, formatRequest, type HttpResponse } from './http-connection.ts';
import { Latencies } from './latencies.ts';
import type { SeededPayer } from './place-orders.ts';

/** How payers poll: once every `everyMs`, or with long polls of `waitSeconds`. */
export type PollMode =
  { readonly by: 'polls'; readonly everyMs: number } | { readonly by: 'longPolls'; readonly waitSeconds: number };

/** The measurements of the payers in a phase. */
export interface PhaseMeasurements {
  requests: number;
  responses: number;
  errors: number;
  /** How many errors of each kind. */
  readonly reasons: Map<string, number>;
  stale: number;
  /** Delays after a response was due: for polls at the scheduled time of the request, for long polls at the end of the wait. */
  readonly latency: Latencies;
  /** From the payment in the sandbox to the response that shows it. */
  readonly paidToPayer: Latencies;
}

interface Payer {
  readonly seeded: SeededPayer;
  readonly connection: Connection;
  etag: string;
  /** The scheduled time of the next request. */
  sendAt: number;
  isRequesting: boolean;
  paidAt: number | undefined;
  isDone: boolean;
  /** The last response was marked as stale. */
  isStale: boolean;
}

/** Node accepts one connection per turn of its event loop. With more connects a second, some would have to be retried. */
const connectsPerSecond = 125;

const checkoutBody = z.object({ status: z.string(), stale: z.boolean() });

/** Payers who wait for their payments, evenly spaced. A payer whose payment is shown stops polling. */
export class WaitingPayers {
  readonly #payers: readonly Payer[];
  #mode: PollMode = { by: 'polls', everyMs: 2000 };
  #isStopped = false;
  #isConnected = false;
  #sending: Promise<void> | undefined;
  measurements = emptyMeasurements();

  constructor(port: number, payerInvoices: readonly SeededPayer[]) {
    this.#payers = payerInvoices.map((payerInvoice) => ({
      seeded: payerInvoice,
      connection: new Connection(port),
      etag: payerInvoice.etag,
      sendAt: 0,
      isRequesting: false,
      paidAt: undefined,
      isDone: false,
      isStale: false,
    }));
  }

  /**
   * Starts the payers evenly spaced. The first start takes as many periods as the connections need, because simultaneous
   * connects are not measured. Returns the time until all payers have started, in milliseconds.
   */
  start(mode: PollMode): number {
    this.#mode = mode;
    this.#isStopped = false;
    const periodMs = mode.by === 'polls' ? mode.everyMs : mode.waitSeconds * 1000;
    const { length } = this.#payers;
    const periods = this.#isConnected ? 1 : Math.ceil(length / connectsPerSecond / (periodMs / 1000));
    this.#isConnected = true;
    const now = performance.now();
    for (const [index, payer] of this.#payers.entries())
      payer.sendAt = now + (index % periods) * periodMs + (index * periodMs) / length;
    this.#sending = this.#run();
    return periods * periodMs;
  }

  /** Stops sending requests, and waits up to `withinMs` for the responses to those already sent. */
  async stop(withinMs: number): Promise<void> {
    this.#isStopped = true;
    await this.#sending;
    const end = performance.now() + withinMs;
    while (this.#payers.some(({ isRequesting }) => isRequesting) && performance.now() < end) await sleep(20);
  }

  close(): void {
    for (const { connection } of this.#payers) connection.close();
  }

  /** Up to `count` payers whose invoices are not paid, in random order. */
  sample(count: number): readonly SeededPayer[] {
    const waitingPayers = this.#payers.filter(({ paidAt }) => paidAt === undefined);
    const shuffled = waitingPayers
      .map((payer) => ({ payer, key: Math.random() }))
      .sort((payerInvoice, b) => payerInvoice.key - b.key);
    return shuffled.slice(0, count).map(({ payer }) => payer.seeded);
  }

  /** Records that the invoice of a payer is being paid now. */
  paid(payerInvoices: SeededPayer): void {
    const payer = this.#payers.find((payerInvoice) => payerInvoice.seeded === payerInvoices);
    if (payer !== undefined) payer.paidAt = performance.now();
  }

  /** How many invoices are paid whose payers have not received `paid`. */
  get unnotified(): number {
    return this.#payers.filter(({ paidAt, isDone }) => paidAt !== undefined && !isDone).length;
  }

  /** How many payers see stale data. */
  get stale(): number {
    return this.#payers.filter(({ isStale, isDone }) => isStale && !isDone).length;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const now = performance.now();
      for (const payer of this.#payers)
        if (payer.sendAt <= now && !payer.isRequesting && !payer.isDone) this.#request(payer);
      await sleep(1);
    }
  }

  #request(payer: Payer): void {
    const mode = this.#mode;
    const { measurements } = this;
    const scheduledAt = payer.sendAt;
    const preference = mode.by === 'longPolls' ? { prefer: `wait=${mode.waitSeconds}` } : {};
    const headers = { 'if-none-match': payer.etag, ...preference };
    payer.isRequesting = true;
    measurements.requests += 1;
    payer.connection.send(formatRequest('GET', `/checkout/${payer.seeded.checkoutId}`, headers), (response) => {
      const now = performance.now();
      payer.isRequesting = false;
      payer.sendAt = mode.by === 'polls' ? scheduledAt + mode.everyMs : now;
      if (response instanceof Error || (response.status !== 200 && response.status !== 304)) {
        countError(measurements, response instanceof Error ? response.message : `status ${response.status}`);
        payer.sendAt = Math.max(payer.sendAt, now + 1000);
        return;
      }
      measurements.responses += 1;
      const dueAt = mode.by === 'polls' ? scheduledAt : scheduledAt + mode.waitSeconds * 1000;
      if (mode.by === 'polls' || response.status === 304) measurements.latency.add(Math.max(0, now - dueAt));
      if (response.status === 200) this.#update(payer, response, now);
      if (payer.isStale) measurements.stale += 1;
    });
  }

  #update(payer: Payer, { body, etag }: HttpResponse, now: number): void {
    const { status, stale } = checkoutBody.parse(JSON.parse(body));
    payer.etag = etag;
    payer.isStale = stale;
    if (status !== 'paid') return;
    payer.isDone = true;
    if (payer.paidAt === undefined)
      this.measurements.errors += 1; // the invoice was not paid
    else this.measurements.paidToPayer.add(now - payer.paidAt);
  }
}

function countError(measurements: PhaseMeasurements, reason: string): void {
  measurements.errors += 1;
  measurements.reasons.set(reason, (measurements.reasons.get(reason) ?? 0) + 1);
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
