import { z } from 'zod';
import type { Fault, Sandbox } from '../../src/tools/sandbox/create-sandbox.ts';

const serviceInvoice = z.object({
  id: z.string(),
  status: z.union([z.string(), z.number()]),
  amount: z.string(),
  external_id: z.string().optional(),
  metadata: z.object({ order_id: z.string() }),
});
/** An invoice as the service stores it. */
export type ServiceInvoice = z.output<typeof serviceInvoice>;

const invoiceList = z.object({ invoices: z.array(serviceInvoice) });
const faultList = z.object({ faults: z.array(z.object({ fired: z.number() })) });

/** The sandbox's control API, called within this process, so that no fault affects it. */
export class SandboxControl {
  readonly #sandbox: Sandbox;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** Returns the invoices of an order, or of all orders. */
  async invoices(orderId?: string): Promise<readonly ServiceInvoice[]> {
    const { invoices } = invoiceList.parse(await this.#request('GET', 'invoices?limit=1000'));
    return invoices.filter(({ metadata }) => orderId === undefined || metadata.order_id === orderId);
  }

  async simulate(invoiceId: string, event: 'pay' | 'fail' | 'expire'): Promise<void> {
    await this.#request('POST', `invoices/${invoiceId}/${event}`);
  }

  async startFaults(faults: readonly Fault[]): Promise<void> {
    await this.#request('PUT', 'faults', faults);
  }

  /** Ends all faults. Resolves with how often each fault was applied, in the order of the faults. */
  async stopFaults(): Promise<readonly number[]> {
    const { faults } = faultList.parse(await this.#request('GET', 'faults'));
    await this.#request('DELETE', 'faults');
    return faults.map(({ fired }) => fired);
  }

  async #request(method: string, path: string, body?: unknown): Promise<unknown> {
    const request = new Request(`http://127.0.0.1/sandbox/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const response = await this.#sandbox.fetch(request);
    const responseBody: unknown = await response.json();
    // An invoice that has ended in the meantime can no longer fail or expire. This is not an error.
    if (!response.ok && !JSON.stringify(responseBody).includes('failed_precondition'))
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(responseBody)}`);
    return responseBody;
  }
}
