import { z } from 'zod';
import { NotRun } from './violation.ts';
import { reasonOf } from './backend-client.ts';
import type { Ports } from './options.ts';

const sandboxInvoice = z.object({
  id: z.string(),
  status: z.union([z.string(), z.number()]),
  external_id: z.string().optional(),
  url_config: z.object({ hook_url: z.string().optional() }).optional(),
});
export type SandboxInvoice = z.output<typeof sandboxInvoice>;

const faultList = z.object({ faults: z.array(z.object({ id: z.string(), fired: z.number() })) });
const settings = z.object({ invoice_lifetime_ms: z.number() });

export type ServiceOperation = 'CreateInvoice' | 'FetchPaymentOptions' | 'FetchInvoices';

/** A fault as the sandbox's control API takes it; docs/sandbox.md lists the members of each kind. */
export interface Fault {
  readonly kind:
    | 'batch_refused'
    | 'duplicate_create'
    | 'empty_values'
    | 'latency'
    | 'lost'
    | 'missing_fields'
    | 'qr_refused'
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
}

/** A fault that was set. */
export interface ActiveFault {
  /** How many calls it affected. */
  countFired(): Promise<number>;
  end(): Promise<void>;
}

/** The control API of the sandbox that the backend under test uses as its invoice service. */
export class SandboxClient {
  readonly #url: string;
  readonly #ports: Ports;
  readonly #undo = new Map<string, () => Promise<void>>();

  constructor(url: string, ports: Ports) {
    this.#url = url.replace(/\/+$/, '');
    this.#ports = ports;
  }

  async invoice(id: string): Promise<SandboxInvoice> {
    const { status, body } = await this.#call('GET', `/invoices/${encodeURIComponent(id)}`);
    if (status === 404) throw new NotRun('the sandbox has no such invoice: is it the service of this backend?');
    return sandboxInvoice.parse(body);
  }

  async simulate(id: string, action: 'pay' | 'fail' | 'expire'): Promise<void> {
    await this.#request('POST', `/invoices/${encodeURIComponent(id)}/${action}`);
  }

  async setStatus(id: string, status: string | number): Promise<void> {
    await this.#request('POST', `/invoices/${encodeURIComponent(id)}/status`, { status });
  }

  async setFault(fault: Fault): Promise<ActiveFault> {
    const { faults } = faultList.parse(await this.#request('PUT', '/faults', fault));
    const id = faults.at(-1)?.id ?? '';
    const end = async (): Promise<void> => {
      if (this.#undo.delete(id)) await this.#call('DELETE', `/faults/${id}`);
    };
    this.#undo.set(id, end);
    const fired = async (): Promise<number> => {
      const listed = faultList.parse(await this.#request('GET', '/faults')).faults;
      return listed.find((one) => one.id === id)?.fired ?? 0;
    };
    return { countFired: fired, end };
  }

  /** Counts the calls of an operation from now on, with a latency fault of 0 ms. */
  countCalls(operation: ServiceOperation): Promise<ActiveFault> {
    return this.setFault({ operation, kind: 'latency', ms: 0 });
  }

  async setLifetime(ms: number): Promise<void> {
    const { invoice_lifetime_ms } = settings.parse(await this.#request('GET', '/settings'));
    this.#undo.set('settings', async () => {
      this.#undo.delete('settings');
      await this.#request('PUT', '/settings', { invoice_lifetime_ms });
    });
    await this.#request('PUT', '/settings', { invoice_lifetime_ms: ms });
  }

  /** Removes the faults, and restores the settings, that were not restored yet. */
  async restore(): Promise<void> {
    for (const undo of [...this.#undo.values()]) await undo();
  }

  /** Throws a `SandboxError` when there is no sandbox. */
  async ping(): Promise<void> {
    settings.parse(await this.#request('GET', '/settings'));
  }

  async #request(method: string, path: string, body?: object): Promise<unknown> {
    const answer = await this.#call(method, path, body);
    if (answer.status !== 200) throw new SandboxError(`the sandbox answered ${method} ${path} with ${answer.status}`);
    return answer.body;
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
      throw new SandboxError(`the sandbox does not answer: ${reasonOf(error)}`, { cause: error });
    }
  }
}

/** The sandbox cannot be used. This is no statement about the backend. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
}
