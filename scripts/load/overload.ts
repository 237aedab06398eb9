// More buyers than the server can serve: each begins a new order as soon as the last one has an invoice.
import { setTimeout as sleep } from 'node:timers/promises';
import { CheckoutError, type CheckoutTransport } from '../../src/core.ts';
import { createPayerSession, requestInvoice } from './payers.ts';
import { capabilityIn, sendOrder } from './place-orders.ts';
import { Latencies } from './run-phases.ts';
import { startLoadPrograms, type ServerOptions } from './start-load-programs.ts';

/** How long a buyer waits for an invoice before he gives up, in ms. */
const patienceMs = 60_000;

/** The requests of one kind: how many ended in which way, and how long each took in milliseconds. */
const createMeasurements = () => ({ results: new Map<string, number>(), delays: new Array<number>() });

/** Runs `clients` buyers for `seconds`. Returns the figures as text. */
export async function measureOverload(
  options: ServerOptions,
  { clients, seconds }: { readonly clients: number; readonly seconds: number },
): Promise<string> {
  const { programs, stop } = await startLoadPrograms(options);
  const measured = {
    'new order': createMeasurements(),
    'new invoice': createMeasurements(),
    read: createMeasurements(),
    readyz: createMeasurements(),
  };
  const endsAt = performance.now() + seconds * 1000;
  /** How many creates each admitted order needed until it had an invoice; Infinity: the buyer gave up. */
  const triesOfOrders: number[] = [];

  const measure = async <T>(
    kind: keyof typeof measured,
    call: () => Promise<T>,
    nameOf: (result: T) => string,
  ): Promise<T> => {
    const { results, delays } = measured[kind];
    const sentAt = performance.now();
    const record = (name: string): void => {
      results.set(name, (results.get(name) ?? 0) + 1);
      delays.push(performance.now() - sentAt);
    };
    try {
      const result = await call();
      record(nameOf(result));
      return result;
    } catch (error) {
      record(CheckoutError.from(error).code);
      throw error;
    }
  };
  const send = (kind: 'new order' | 'readyz', call: () => Promise<Response>): Promise<Response> =>
    measure(kind, call, ({ status }) => String(status));

  const buy = async (port: number, index: number): Promise<void> => {
    const order = await send('new order', () => sendOrder(port)).catch(() => undefined);
    if (order?.status !== 201) {
      await order?.arrayBuffer();
      return sleep(1000);
    }
    let tries = 0;
    const measureTransport = (transport: CheckoutTransport): CheckoutTransport => ({
      read: (request, signal) =>
        measure(
          'read',
          () => transport.read(request, signal),
          ({ kind }) => kind,
        ),
      createInvoice: (request, signal) => {
        tries += 1;
        return measure(
          'new invoice',
          () => transport.createInvoice(request, signal),
          ({ kind }) => kind,
        );
      },
    });
    const { session, close } = createPayerSession(
      { port, index, checkout: await capabilityIn(order) },
      measureTransport,
    );
    const hasInvoice = await Promise.race([requestInvoice(session).then(() => true), sleep(patienceMs, false)]);
    triesOfOrders.push(hasInvoice ? tries : Infinity);
    close();
  };

  let nextIndex = 0;
  const runClient = async (port: number): Promise<void> => {
    while (performance.now() < endsAt) await buy(port, nextIndex++);
  };
  const watchReadiness = async (port: number): Promise<void> => {
    while (performance.now() < endsAt) {
      await (await send('readyz', () => fetch(`http://127.0.0.1:${port}/readyz`))).arrayBuffer();
      await sleep(500);
    }
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
    const count = triesOfOrders.filter((one) => one <= tries).length;
    return `${((100 * count) / triesOfOrders.length).toFixed(1)} %`;
  };
  return [
    `${clients} clients, ${seconds} s`,
    ...Object.entries(measured).map(([kind, { results, delays }]) => {
      const counts = [...results].map(([name, count]) => `${count} × ${name}`).join(', ');
      const latencies = new Latencies(delays);
      return `${kind}: ${counts}; p50 ${Math.round(latencies.percentile(0.5))} ms, p99 ${Math.round(latencies.percentile(0.99))} ms`;
    }),
    `${triesOfOrders.length} admitted orders: ${share(1)} had an invoice after the first request, ${share(5)} after 5`,
  ].join('\n');
}
