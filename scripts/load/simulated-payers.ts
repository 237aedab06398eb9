// The simulated payers of a load run: they send plain polls or long polls, and measure the time from a payment to the response that shows it.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { backoff } from '../../src/core/session-commands.ts';
import { Connection, formatRequest, type HttpResponse } from './http-connection.ts';
import { placeOrders, type OrdersToPlace, type PlacedOrder } from './place-orders.ts';

/** How payers poll: once every `everyMs`, or with long polls of `waitSeconds`. */
export type PollMode =
  { readonly by: 'polls'; readonly everyMs: number } | { readonly by: 'longPolls'; readonly waitSeconds: number };

/** The measurements of payers since `forgetMeasurements`. */
export interface PayerMeasurements {
  responses: number;
  /** How many errors of each kind. */
  reasons: Record<string, number>;
  stale: number;
  /** Delays in ms after a response was due: for polls at the scheduled time of the request, for long polls at the end of the wait. */
  readonly delays: number[];
  /** Milliseconds from a payment in the sandbox to the response that shows it. */
  readonly paidToPayer: number[];
}

interface Payer {
  readonly order: PlacedOrder;
  readonly connection: Connection;
  etag: string;
  /** The scheduled time of the next request. */
  sendAt: number;
  isRequesting: boolean;
  paidAt: number | undefined;
  isDone: boolean;
  /** How many requests in a row have failed. As in the widget, the pause grows with it, and the next request is a plain one. */
  failures: number;
  /** The last response was marked as stale. */
  isStale: boolean;
}

/** Node accepts one connection per turn of its event loop. With more connects a second, some would have to be retried. */
const connectsPerSecond = 125;

const checkoutBody = z.object({ status: z.string(), stale: z.boolean() });

/** Payers of one server who wait for their payments, evenly spaced. A payer whose payment is shown stops polling. */
export class SimulatedPayers {
  #payers: readonly Payer[] = [];
  #mode: PollMode = { by: 'polls', everyMs: 2000 };
  #isStopped = false;
  #isConnected = false;
  #sending: Promise<void> | undefined;
  #measurements = emptyMeasurements();

  /** Places the orders of the payers. Returns the ids of their invoices. */
  async placeOrders(orders: OrdersToPlace): Promise<readonly string[]> {
    const placedOrders = await placeOrders(orders);
    this.#payers = placedOrders.map((order) => ({
      order,
      connection: new Connection(orders.port),
      etag: order.etag,
      sendAt: 0,
      isRequesting: false,
      paidAt: undefined,
      isDone: false,
      failures: 0,
      isStale: false,
    }));
    return placedOrders.map(({ invoiceId }) => invoiceId);
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

  /** Records that the invoice of the payer with this index is being paid now. */
  markPaid(index: number): void {
    const payer = this.#payers[index];
    if (payer !== undefined) payer.paidAt = performance.now();
  }

  forgetMeasurements(): void {
    this.#measurements = emptyMeasurements();
  }

  measurements(): PayerMeasurements {
    return this.#measurements;
  }

  /** How many payers see stale data, and how many have paid and have not received `paid`. */
  progress(): { readonly stale: number; readonly unnotified: number } {
    const waitingPayers = this.#payers.filter(({ isDone }) => !isDone);
    return {
      stale: waitingPayers.filter(({ isStale }) => isStale).length,
      unnotified: waitingPayers.filter(({ paidAt }) => paidAt !== undefined).length,
    };
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
    const scheduledAt = payer.sendAt;
    const waits = mode.by === 'longPolls' && payer.failures === 0;
    const preference = waits ? { prefer: `wait=${mode.waitSeconds}` } : {};
    const headers = { 'if-none-match': payer.etag, ...preference };
    payer.isRequesting = true;
    payer.connection.send(formatRequest('GET', `/checkout/${payer.order.checkoutId}`, headers), (response) => {
      const measurements = this.#measurements;
      const now = performance.now();
      payer.isRequesting = false;
      payer.sendAt = mode.by === 'polls' ? scheduledAt + mode.everyMs : now;
      if (response instanceof Error || (response.status !== 200 && response.status !== 304)) {
        countError(measurements, response instanceof Error ? response.message : `status ${response.status}`);
        const retryAfterMs = response instanceof Error ? 0 : response.retryAfterMs;
        payer.sendAt = Math.max(payer.sendAt, now + backoff((payer.failures += 1), Math.random(), retryAfterMs));
        return;
      }
      payer.failures = 0;
      measurements.responses += 1;
      const dueAt = waits ? scheduledAt + mode.waitSeconds * 1000 : scheduledAt;
      if (mode.by === 'polls' || (waits && response.status === 304)) measurements.delays.push(Math.max(0, now - dueAt));
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
    payer.connection.close();
    if (payer.paidAt === undefined) countError(this.#measurements, 'paid was shown, and nobody has paid');
    else this.#measurements.paidToPayer.push(now - payer.paidAt);
  }
}

function countError(measurements: PayerMeasurements, reason: string): void {
  measurements.reasons[reason] = (measurements.reasons[reason] ?? 0) + 1;
}

function emptyMeasurements(): PayerMeasurements {
  return { responses: 0, reasons: {}, stale: 0, delays: [], paidToPayer: [] };
}
