import { z } from 'zod';
import { operationPath, operations, type Operation } from '../../src/service-api.ts';
import { sendInProcess } from '../../src/tools/sandbox/faults/connection-faults.ts';
import { InvoiceStore } from '../../src/tools/sandbox/invoices/invoice-store.ts';
import { createRequestHandler } from '../../src/tools/sandbox/router.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { Recorder } from './history.ts';
import { randomPort } from './random-port.ts';
import type { Plan } from './plan.ts';
import { sandboxFaultsOf, type GatewayFaultName, type ServiceFaultName } from './service-faults.ts';
import type { MachineClock, VirtualTime } from './virtual-time.ts';

const token = 'simulated-token';
export const serviceAccess = { baseUrl: 'https://invoices.example', token } as const;

/** A status word that is in no list of the checkout server. */
export const unlistedWord = 'HELD_BY_BANK';

const callBody = z.object({
  ids: z.array(z.string()).optional(),
  external_id: z.string().optional(),
  amount: z.string().optional(),
  metadata: z.object({ order_id: z.string() }).optional(),
});
const listedInvoice = z.object({
  id: z.string(),
  amount: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
  external_id: z.string(),
  metadata: z.object({ order_id: z.string() }),
  url_config: z.object({ hook_url: z.string() }),
});
const invoiceList = z.object({ invoices: z.array(listedInvoice) });

/** An invoice as the bank knows it. */
export interface BankInvoice {
  readonly id: string;
  readonly hookUrl: string;
  status: string;
}

/** A response of CreateInvoice that the gateway repeats for another order. */
interface EarlierResponse {
  readonly orderId: string;
  readonly amount: string;
  readonly text: string;
}

export interface ServiceParts {
  readonly plan: Plan;
  readonly time: VirtualTime;
  readonly clock: MachineClock;
  readonly random: SeededRandom;
  readonly recorder: Recorder;
  readonly sendWebhook: (request: Request) => Promise<Response>;
}

/** The invoice service: the sandbox with its bank, behind a gateway that records each call and has faults of its own. */
export class SimulatedService {
  readonly invoices = new Map<string, BankInvoice>();
  readonly #parts: ServiceParts;
  readonly #handle: ReturnType<typeof createRequestHandler>;
  readonly #closing = new AbortController();
  #faults: readonly ServiceFaultName[] = [];
  #earlier: EarlierResponse | undefined;
  #isQuiet = false;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
    const { plan, clock, random, sendWebhook } = parts;
    this.#handle = createRequestHandler({
      token,
      clock,
      random: randomPort(random),
      sendWebhook,
      store: new InvoiceStore(),
      baseOf: () => serviceAccess.baseUrl,
      closing: this.#closing.signal,
      invoiceLifetimeMs: plan.invoiceLifetimeMs,
      repeatedExternalId: plan.repeatedExternalId,
    });
  }

  /** Whether requests for invoices may fail at the service at the moment. */
  get isDisturbed(): boolean {
    return this.#faults.length > 0;
  }

  /** Handles a request of a checkout server. Like every HTTP server, it tells its time. */
  async handle(server: number, request: Request, text: string): Promise<Response> {
    const response = await this.#respond(server, request, text);
    response.headers.set('date', new Date(this.#parts.clock.now()).toUTCString());
    return response;
  }

  async #respond(server: number, request: Request, text: string): Promise<Response> {
    const { recorder, time } = this.#parts;
    const body = callBody.parse(JSON.parse(text));
    const operation = operationOf(request);
    const invoiceIds = body.ids ?? [];
    recorder.add({
      kind: 'call',
      at: time.now,
      operation,
      server,
      orderId: body.metadata?.order_id,
      externalId: body.external_id,
      invoiceIds,
    });
    if (operation === 'FetchInvoices' && this.#has('gateway refuses fetches'))
      return new Response(null, {
        status: this.#parts.random.pick([400, 402, 406, 410, 411, 414, 421, 422, 431, 451]),
      });
    if (operation !== 'CreateInvoice') return this.#send(request);
    const repeated = this.#repeatEarlierResponse(body);
    if (repeated !== undefined) return repeated;
    const response = await this.#send(request).finally(() => this.#recordNewInvoices(body.external_id));
    return this.#remember(body, response);
  }

  /** Gives an invoice a status, as the bank decides. */
  async setStatus(invoiceId: string, status: string): Promise<void> {
    const invoice = this.invoices.get(invoiceId);
    if (invoice === undefined || invoice.status === 'PAID') return;
    const { recorder, time } = this.#parts;
    invoice.status = status;
    recorder.add({ kind: 'bank', at: time.now, invoiceId, status });
    if (status === 'PAID') recorder.counts.payments += 1;
    await this.#control('POST', `invoices/${invoiceId}/status`, { status });
  }

  /** Lets one or two faults of the plan happen for some minutes, again and again. */
  async runFaults(): Promise<void> {
    const { time, random, plan, recorder } = this.#parts;
    const [first, ...others] = plan.serviceFaults;
    if (first === undefined) return;
    for (;;) {
      await time.sleep(random.int(1, 15) * 60_000);
      if (this.#isQuiet) return;
      const names = [random.pick([first, ...others]), ...(random.chance(0.3) ? [random.pick([first, ...others])] : [])];
      this.#faults = names;
      recorder.note(`service: ${names.join(', ')}`);
      await this.#control(
        'PUT',
        'faults',
        names.flatMap((name) => sandboxFaultsOf(name, random)),
      );
      await time.sleep(random.pick([20_000, 120_000, 600_000, 1_500_000]) * (0.5 + random.next()));
      await this.endFaults();
    }
  }

  async endFaults(): Promise<void> {
    this.#faults = [];
    this.#parts.recorder.note('service: healthy');
    await this.#control('DELETE', 'faults');
  }

  /** Ends all faults for good, and decides about the payments that the bank holds. */
  async beQuiet(): Promise<void> {
    this.#isQuiet = true;
    await this.endFaults();
    for (const { id, status } of this.invoices.values())
      if (status === unlistedWord) await this.setStatus(id, this.#parts.random.pick(['PAID', 'FAILED']));
  }

  close(): void {
    this.#closing.abort(new Error('the service is closed'));
  }

  async #send(request: Request): Promise<Response> {
    return sendInProcess(await this.#handle(request), this.#parts.clock, [request.signal, this.#closing.signal]);
  }

  #has(name: GatewayFaultName): boolean {
    return this.#faults.includes(name);
  }

  /** The response to another order's create, with this create's `external_id`. */
  #repeatEarlierResponse(body: z.output<typeof callBody>): Response | undefined {
    const earlier = this.#earlier;
    if (!this.#has('service gives two orders one invoice') || earlier === undefined) return undefined;
    if (earlier.orderId === body.metadata?.order_id || earlier.amount !== body.amount) return undefined;
    const { recorder, time } = this.#parts;
    const invoice = z.looseObject({ id: z.string() }).parse(JSON.parse(earlier.text));
    const orderId = body.metadata?.order_id;
    if (orderId !== undefined) recorder.add({ kind: 'given', at: time.now, invoiceId: invoice.id, orderId });
    const text = JSON.stringify({ ...invoice, external_id: body.external_id });
    return new Response(text, { headers: { 'content-type': 'application/json' } });
  }

  async #remember(body: z.output<typeof callBody>, response: Response): Promise<Response> {
    if (!this.#has('service gives two orders one invoice') || !response.ok) return response;
    const text = await response.clone().text();
    const { metadata, amount = '' } = body;
    if (metadata !== undefined) this.#earlier = { orderId: metadata.order_id, amount, text };
    return response;
  }

  /** Records the invoices that the service has created, also those that it creates later. */
  async #recordNewInvoices(externalId: string | undefined, mayComeLater = true): Promise<void> {
    if (externalId === undefined) return;
    const { recorder, time } = this.#parts;
    const { invoices } = invoiceList.parse(await this.#control('GET', `invoices?external_id=${externalId}`));
    for (const { id, amount, created_at, expires_at, metadata, url_config } of [...invoices].reverse()) {
      if (this.invoices.has(id)) continue;
      const orderId = metadata.order_id;
      const expiresAt = time.now + Date.parse(expires_at) - Date.parse(created_at);
      this.invoices.set(id, { id, hookUrl: url_config.hook_url, status: 'PENDING' });
      recorder.add({ kind: 'invoice', at: time.now, invoiceId: id, orderId, externalId, amount, expiresAt });
    }
    if (mayComeLater && this.#faults.includes('creates happen later'))
      time.schedule(46_000, () => void this.#recordNewInvoices(externalId, false));
  }

  async #control(method: string, path: string, body?: unknown): Promise<unknown> {
    const init =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const response = await this.#send(new Request(`http://127.0.0.1/sandbox/${path}`, { method, ...init }));
    const json: unknown = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(json)}`);
    return json;
  }
}

function operationOf(request: Request): Operation {
  const { pathname } = new URL(request.url);
  const operation = operations.find((name) => operationPath(name) === pathname);
  if (operation === undefined) throw new Error(`no operation: ${pathname}`);
  return operation;
}
