// Controls the sandbox of a load run over its control API: payments, outages, and the count of FetchInvoices calls.
import { z } from 'zod';

const faultListSchema = z.object({
  faults: z.array(z.object({ id: z.string(), kind: z.string(), operation: z.string(), fired: z.number() })),
});

/** A client of the control API of the load run's sandbox. */
export class SandboxControl {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Makes the sandbox count its FetchInvoices calls, by a fault with a latency of 0 ms that applies to each. */
  async countCalls(): Promise<void> {
    await this.#faults('PUT', { kind: 'latency', ms: 0, operation: 'FetchInvoices' });
  }

  /** The number of FetchInvoices calls so far, including those during an outage. */
  async calls(): Promise<number> {
    const { faults } = await this.#faults('GET');
    return faults.find(({ kind }) => kind === 'latency')?.fired ?? 0;
  }

  /** Drops every connection from now on. */
  async fail(): Promise<void> {
    await this.#faults('PUT', { kind: 'reset' });
  }

  async recover(): Promise<void> {
    const { faults } = await this.#faults('GET');
    for (const { id, kind } of faults)
      if (kind === 'reset') await fetch(`${this.#url}/sandbox/faults/${id}`, { method: 'DELETE' });
  }

  async pay(invoiceId: string): Promise<void> {
    const { status } = await fetch(`${this.#url}/sandbox/invoices/${invoiceId}/pay`, { method: 'POST' });
    if (status !== 200) throw new Error(`the payment was answered with ${status}`);
  }

  async #faults(method: string, body?: object): Promise<z.output<typeof faultListSchema>> {
    const headers = { 'content-type': 'application/json' };
    const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
    const response = await fetch(`${this.#url}/sandbox/faults`, init);
    return faultListSchema.parse(await response.json());
  }
}
