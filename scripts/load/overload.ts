// More buyers than the server can serve: each begins a new order as soon as the last one has ended, and pauses as the widget does.
import { setTimeout as sleep } from 'node:timers/promises';
import { backoff } from '../../src/core/session-commands.ts';
import { Connection, formatRequest, type HttpResponse } from './http-connection.ts';
import { buyerHeaders, capabilityOf, invoiceRequest, isCreated, orderRequest } from './place-orders.ts';
import { Latencies } from './run-phases.ts';
import { startLoadPrograms, type ServerOptions } from './start-load-programs.ts';

/** How often a buyer tries to get an invoice. In the widget, the payer presses again after a refusal. */
const maxTries = 5;
const pollsOfOrder = 2;

/** The requests of one kind: how many responses had which status, and how long each took in milliseconds. */
const createMeasurements = () => {
  return { statuses: new Map<string, number>(), delays: new Array<number>() };
};

/** Runs `clients` buyers for `seconds`. Returns the figures as text. */
export async function measureOverload(
  options: ServerOptions,
  { clients, seconds }: { readonly clients: number; readonly seconds: number },
): Promise<string> {
  const { programs, stop } = await startLoadPrograms(options);
  const measured = {
    'new order': createMeasurements(),
    'new invoice': createMeasurements(),
    poll: createMeasurements(),
    readyz: createMeasurements(),
  };
  const endsAt = performance.now() + seconds * 1000;
  /** How many tries each create needed that an order was admitted for; Infinity: all failed. */
  const triesOfCreates: number[] = [];

  const send = (connection: Connection, kind: keyof typeof measured, request: string): Promise<HttpResponse | Error> =>
    new Promise((resolve) => {
      const sentAt = performance.now();
      connection.send(request, (response) => {
        const { statuses, delays } = measured[kind];
        const status = response instanceof Error ? response.message : String(response.status);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        delays.push(performance.now() - sentAt);
        resolve(response);
      });
    });

  const pauseAfter = (response: HttpResponse | Error, failures: number): Promise<void> =>
    sleep(backoff(failures, Math.random(), response instanceof Error ? 0 : response.retryAfterMs));

  /** Tries to get an invoice. Resolves with the number of tries; Infinity: all failed. */
  const createInvoice = async (connection: Connection, request: string): Promise<number> => {
    for (let tries = 1; ; tries += 1) {
      const response = await send(connection, 'new invoice', request);
      if (!(response instanceof Error) && isCreated(response)) return tries;
      if (tries === maxTries) return Infinity;
      await pauseAfter(response, tries);
    }
  };

  const buy = async (connection: Connection, index: number): Promise<void> => {
    const headers = buyerHeaders(index);
    const created = await send(connection, 'new order', orderRequest(headers));
    if (created instanceof Error || created.status !== 201) return pauseAfter(created, 1);
    const capability = capabilityOf(created);
    triesOfCreates.push(await createInvoice(connection, invoiceRequest(capability, headers)));
    for (let polls = 1; polls <= pollsOfOrder; polls += 1) {
      const response = await send(connection, 'poll', formatRequest('GET', `/checkout/${capability}`, headers));
      if (response instanceof Error || response.status !== 200) await pauseAfter(response, polls);
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
    ...Object.entries(measured).map(([kind, { statuses, delays }]) => {
      const counts = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
      const latencies = new Latencies(delays);
      return `${kind}: ${counts}; p50 ${Math.round(latencies.percentile(0.5))} ms, p99 ${Math.round(latencies.percentile(0.99))} ms`;
    }),
    `${triesOfCreates.length} admitted orders: ${share(1)} had an invoice after the first try, ${share(maxTries)} after ${maxTries}`,
  ].join('\n');
}
