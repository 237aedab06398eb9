// More buyers than the server can serve: each begins a new order as soon as the last one has ended, and pauses as the widget does.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { backoff } from '../../src/core/session-commands.ts';
import { adminToken } from '../../test/support/buyer.ts';
import { Connection, formatRequest, type HttpResponse } from './http-connection.ts';
import { Latencies } from './latencies.ts';
import { startLoadPrograms, type ServerOptions } from './start-load-programs.ts';

/** The requests of one kind: how many responses had which status, and how long each took in milliseconds. */
interface Measurements {
  readonly statuses: Map<string, number>;
  readonly delays: number[];
}

const kinds = ['new order', 'new invoice', 'poll', 'readyz'] as const;
type Kind = (typeof kinds)[number];

const createdSchema = z.object({ capability: z.string() });
/** The widget repeats a create this often before the payer has to press again. */
const maxTries = 5;
const pollsOfOrder = 2;

/** Runs `clients` buyers for `seconds`. Returns the figures as text. */
export async function measureOverload(
  options: ServerOptions,
  { clients, seconds }: { readonly clients: number; readonly seconds: number },
): Promise<string> {
  const { programs, stop } = await startLoadPrograms(options);
  const measured = new Map(kinds.map((kind): [Kind, Measurements] => [kind, { statuses: new Map(), delays: [] }]));
  const endsAt = performance.now() + seconds * 1000;
  /** How many tries each create needed that an order was admitted for; Infinity: all failed. */
  const triesOfCreates: number[] = [];

  const send = (connection: Connection, kind: Kind, request: string): Promise<HttpResponse | Error> =>
    new Promise((resolve) => {
      const sentAt = performance.now();
      connection.send(request, (response) => {
        const { statuses, delays } = measured.get(kind) ?? { statuses: new Map<string, number>(), delays: [] };
        const status = response instanceof Error ? response.message : String(response.status);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        delays.push(performance.now() - sentAt);
        resolve(response);
      });
    });

  const pauseAfter = (response: HttpResponse | Error, failures: number): Promise<void> =>
    sleep(backoff(failures, Math.random(), response instanceof Error ? 0 : response.retryAfterMs));
  const statusOf = (response: HttpResponse | Error): number => (response instanceof Error ? 0 : response.status);

  const buy = async (connection: Connection, index: number): Promise<void> => {
    const headers = { 'x-forwarded-for': `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` };
    const order = { order_id: randomUUID(), amount: '1500.00', currency: 'RUB' };
    const orderHeaders = { ...headers, authorization: `Bearer ${adminToken}` };
    const created = await send(connection, 'new order', formatRequest('POST', '/admin/checkouts', orderHeaders, order));
    if (created instanceof Error || created.status !== 201) return pauseAfter(created, 1);
    const path = `/checkout/${createdSchema.parse(JSON.parse(created.body)).capability}`;
    const createHeaders = { ...headers, 'idempotency-key': randomUUID() };
    const createRequest = formatRequest('POST', `${path}/invoice`, createHeaders, { payment_method_id: 'pm_sbp' });
    let tries = 1;
    let invoice = await send(connection, 'new invoice', createRequest);
    // 202: in doubt. 200: a repeat for which the invoice was there.
    for (; ![200, 201].includes(statusOf(invoice)) && tries < maxTries; tries += 1) {
      await pauseAfter(invoice, tries);
      invoice = await send(connection, 'new invoice', createRequest);
    }
    triesOfCreates.push([200, 201].includes(statusOf(invoice)) ? tries : Infinity);
    for (let polls = 0; polls < pollsOfOrder; polls += 1) {
      const polled = await send(connection, 'poll', formatRequest('GET', path, headers));
      if (statusOf(polled) !== 200) await pauseAfter(polled, polls + 1);
    }
  };

  let nextIndex = 0;
  const runClient = async (port: number): Promise<void> => {
    const connection = new Connection(port);
    while (performance.now() < endsAt) await buy(connection, nextIndex++);
    connection.close();
  };
  const watchReadiness = async (port: number): Promise<void> => {
    const connection = new Connection(port);
    while (performance.now() < endsAt) {
      await send(connection, 'readyz', formatRequest('GET', '/readyz', {}));
      await sleep(500);
    }
    connection.close();
  };

  try {
    const ports = programs.servers.map(({ port }) => port);
    const portOf = (index: number): number => ports[index % ports.length] ?? 0;
    await Promise.all([
      ...ports.map(watchReadiness),
      ...Array.from({ length: clients }, (_, index) => runClient(portOf(index))),
    ]);
  } finally {
    await stop();
  }
  const share = (tries: number): string => {
    const count = triesOfCreates.filter((one) => one <= tries).length;
    return `${((100 * count) / triesOfCreates.length).toFixed(1)} %`;
  };
  return [
    `${clients} clients, ${seconds} s`,
    ...[...measured].map(([kind, { statuses, delays }]) => {
      const counts = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
      const latencies = new Latencies(delays);
      return `${kind}: ${counts}; p50 ${Math.round(latencies.percentile(0.5))} ms, p99 ${Math.round(latencies.percentile(0.99))} ms`;
    }),
    `${triesOfCreates.length} admitted orders: ${share(1)} had an invoice after the first try, ${share(maxTries)} after ${maxTries}`,
  ].join('\n');
}
