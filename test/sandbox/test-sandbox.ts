import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { z } from 'zod';
import { operationPath, type Operation } from '../../src/service-api.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/tools/sandbox/create-sandbox.ts';
import { ServiceClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const json = z.record(z.string(), z.json());
/** A JSON object. */
export type Json = z.output<typeof json>;

/** A response with its body. */
export interface SandboxResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
  /** The message of an error, or the empty string. */
  readonly message: string;
}

const base = 'http://sandbox.test';
const token = 'test-token';

/** A sandbox in this process with its own clock, and methods that call it. */
export class TestSandbox {
  readonly clock = new ServiceClock();
  readonly sandbox: Sandbox;
  readonly log: string[] = [];

  constructor(options: Partial<SandboxOptions> = {}) {
    this.sandbox = createSandbox({ token, clock: this.clock, log: (line) => this.log.push(line), ...options });
  }

  /** Creates a sandbox with faults. */
  static async withFaults(...faults: readonly Json[]): Promise<TestSandbox> {
    const service = new TestSandbox();
    const { status, text } = await service.send('PUT', '/sandbox/faults', faults);
    if (status !== 200) throw new Error(text);
    return service;
  }

  /** Calls an operation as a merchant does. */
  async call(
    operation: Operation,
    body: unknown = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<SandboxResponse> {
    return read(await this.sandbox.fetch(serviceRequest(operation, body, headers)));
  }

  /** Creates an invoice; `change` replaces members of a valid request. */
  async create(change: Json = {}): Promise<Json> {
    const { status, json, text } = await this.call('CreateInvoice', { amount: '1500.00', ...change });
    if (status !== 200) throw new Error(text);
    return json;
  }

  /** Creates an invoice, and resolves with its identifier. */
  async createId(change: Json = {}): Promise<string> {
    return idOf(await this.create(change));
  }

  /** Fetches one invoice by FetchInvoices. */
  async fetchOne(id: string): Promise<Json> {
    const { json } = await this.call('FetchInvoices', { ids: [id] });
    const [invoice] = z.object({ invoices: z.array(z.record(z.string(), z.json())) }).parse(json).invoices;
    if (invoice === undefined) throw new Error(`no invoice ${id}`);
    return invoice;
  }

  /** The invoices that the control API lists. */
  async listInvoices(): Promise<readonly Json[]> {
    return z.array(json).parse((await this.send('GET', '/sandbox/invoices')).json['invoices']);
  }

  /** Sends any request. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<SandboxResponse> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const request = new Request(`${base}${path}`, { method, headers, ...(body !== undefined && { body: text }) });
    return read(await this.sandbox.fetch(request));
  }
}

/** Creates a request of an operation with a valid token. */
export function serviceRequest(
  operation: Operation,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  address = base,
): Request {
  return new Request(`${address}${operationPath(operation)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** Reads the body of a response; `json` is {} when the body is not a JSON object. */
export async function read(response: Response): Promise<SandboxResponse> {
  const { status, headers } = response;
  const text = await response.text();
  const object = toJson(text);
  const { message } = z.object({ message: z.string().default('') }).parse(object);
  return { status, headers, text, json: object, message };
}

function toJson(text: string): Json {
  try {
    return json.parse(JSON.parse(text));
  } catch {
    return {}; // a page, or an empty body
  }
}

/** Returns the identifier of an invoice. */
export function idOf(invoice: Json): string {
  return z.string().parse(invoice['id']);
}

/** Checks that a part of a response is an object, and returns it. */
export function objectIn(value: unknown): Json {
  return json.parse(value);
}

/** The path of a file in a new folder, which is removed after the test. */
export function createTemporaryPath(t: TestContext): string {
  return join(temporaryFolder(t), 'sandbox.json');
}
