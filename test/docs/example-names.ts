import type { Hono } from 'hono';
import {
  createCheckoutServer,
  createInvoiceServiceClient,
  createMemoryStore,
  type CheckoutServer,
  type CheckoutStore,
  type InvoiceService,
  type Outcome,
} from '../../src/server.ts';
import { createSandbox } from '../../src/sandbox.ts';
import type { Migration } from '../../src/sqlite.ts';

// The names that the examples of public functions, and the documents, use without declaring them.

const sandbox = createSandbox({ token: 'sandbox-token' });
export const baseUrl = 'https://sandbox.invalid';
export const token = 'sandbox-token';
export const endpoint = 'https://shop.example/checkout';
export const service: InvoiceService = createInvoiceServiceClient({
  baseUrl,
  token,
  fetch: (input, init) => sandbox.fetch(new Request(input, init)),
});
export const store: CheckoutStore = createMemoryStore();
export const onOutcome: (outcome: Outcome) => Promise<void> = () => Promise.resolve();
export const orders = { apply: onOutcome };
export const checkouts: CheckoutServer = createCheckoutServer({ service, store, endpoint, mode: 'TEST', onOutcome });

// Those of examples that are only compiled.

export declare const app: Hono;
export declare const migrations: readonly Migration[];
export declare const openOrder: (kind: 'priced' | 'typed') => Promise<string | undefined>;
export declare const orderId: string;
