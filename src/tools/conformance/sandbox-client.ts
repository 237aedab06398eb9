import { z } from 'zod';
import { withoutEndSlashes } from '../../base/addresses.ts';
import { NotRun } from './expect.ts';
import { rootCauseMessage } from './backend-client.ts';
import type { Ports } from './conformance-options.ts';

const sandboxInvoiceSchema = z.object({
  url_config: z.object({ hook_url: z.string().optional() }).optional(),
});

const faultListSchema = z.object({ faults: z.array(z.object({ id: z.string(), fired: z.number() })) });
const settingsSchema = z.object({ invoice_lifetime_ms: z.number() });

export type ServiceOperation = 'CreateInvoice' | 'FetchPaymentOptions' | 'FetchInvoices';

/** A fault as the sandbox's control API takes it; docs/sandbox.md lists the members of each kind. */
export interface Fault {
  readonly kind:
    | 'batch_refused'
    | 'duplicate_create'
    | 'empty_values'
    | 'latency'
    | 'long_values'
    | 'lost'
    | 'missing_fields'
    | 'qr_refused'
    | 'reset'
    | 'stall'
    | 'status'
    | 'time_format'
    | 'unknown_status'
    | 'wrong_amount';
  readonly operation?: ServiceOperation | '*';
  readonly ms?: number;
  readonly status?: number;
  readonly shape?: 'flat' | 'nested' | 'empty';
  readonly code?: string;
  readonly format?: 'no_zone' | '+0300';
  readonly value?: string;
  readonly once_paid?: boolean;
  readonly at?: 'headers';
  readonly length?: number;
  readonly fields?: readonly string[];
}

/** A fault that is set in the sandbox. */
export interface ActiveFault {
  /** How many calls the fault has affected. */
  countFired(): Promise<number>;
  /** Removes the fault. */
  end(): Promise<void>;
}

/** The control API of the sandbox that the backend under test uses as its invoice service. */
export class SandboxClient {
  readonly #url: string;
  readonly #ports: Ports;
  readonly #undoActions = new Map<string, () => Promise<void>>();

  constructor(url: string, ports: Ports) {
    this.#url = withoutEndSlashes(url);
    this.#ports = ports;
  }

  /** The webhook URL that the backend gave for an invoice. */
  async readWebhookUrl(id: string): Promise<string | undefined> {
    const { status, body } = await this.#call('GET', `/invoices/${encodeURIComponent(id)}`);
    if (status === 404) throw new NotRun('the sandbox has no such invoice: is it the service of this backend?');
    return sandboxInvoiceSchema.parse(body).url_config?.hook_url;
  }

  async simulate(id: string, action: 'pay' | 'fail' | 'expire'): Promise<void> {
    await this.#request('POST', `/invoices/${encodeURIComponent(id)}/${action}`);
  }

  async setStatus(id: string, status: string | number): Promise<void> {
    await this.#request('POST', `/invoices/${encodeURIComponent(id)}/status`, { status });
  }

  async setFault(fault: Fault): Promise<ActiveFault> {
    const { faults } = faultListSchema.parse(await this.#request('PUT', '/faults', fault));
    const id = faults.at(-1)?.id ?? '';
    const end = async (): Promise<void> => {
      if (this.#undoActions.delete(id)) await this.#call('DELETE', `/faults/${id}`);
    };
    this.#undoActions.set(id, end);
    const countFired = async (): Promise<number> => {
      const { faults: activeFaults } = faultListSchema.parse(await this.#request('GET', '/faults'));
      return activeFaults.find((activeFault) => activeFault.id === id)?.fired ?? 0;
    };
    return { countFired, end };
  }

  /** Counts the calls of an operation from now on, with a latency fault of 0 ms. */
  countCalls(operation: ServiceOperation): Promise<ActiveFault> {
    return this.setFault({ operation, kind: 'latency', ms: 0 });
  }

  /** Sets the lifetime of invoices that the sandbox creates from now on. */
  async setInvoiceLifetime(ms: number): Promise<void> {
    const { invoice_lifetime_ms } = settingsSchema.parse(await this.#request('GET', '/settings'));
    this.#undoActions.set('settings', async () => {
      this.#undoActions.delete('settings');
      await this.#request('PUT', '/settings', { invoice_lifetime_ms });
    });
    await this.#request('PUT', '/settings', { invoice_lifetime_ms: ms });
  }

  /** Removes the faults that are still set, and restores the settings that were changed. */
  async restore(): Promise<void> {
    for (const undo of [...this.#undoActions.values()]) await undo();
  }

  /** Throws a `SandboxError` when there is no sandbox. */
  async ping(): Promise<void> {
    settingsSchema.parse(await this.#request('GET', '/settings'));
  }

  async #request(method: string, path: string, body?: object): Promise<unknown> {
    const response = await this.#call(method, path, body);
    if (response.status !== 200)
      throw new SandboxError(`the sandbox answered ${method} ${path} with ${response.status}`);
    return response.body;
  }

  async #call(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
    try {
      const response = await this.#ports.fetch(
        new Request(`${this.#url}/sandbox${path}`, {
          method,
          signal: AbortSignal.timeout(10_000),
          ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
        }),
      );
      return { status: response.status, body: await response.json() };
    } catch (error) {
      throw new SandboxError(`the sandbox does not answer: ${rootCauseMessage(error)}`, { cause: error });
    }
  }
}

/** The sandbox cannot be used. This says nothing about the backend. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
}
