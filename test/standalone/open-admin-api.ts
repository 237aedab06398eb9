import { z } from 'zod';
import { addAdminRoutes } from '../../src/standalone/admin-api.ts';
import { createApp } from '../../src/standalone/problem-responses.ts';
import type { Log } from '../../src/server.ts';
import { checkAdminAnswer } from '../support/documented-admin-answers.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';

export const token = 'a-token-of-24-characters';
export const secondToken = 'the-next-token-of-the-shop';
export const checkoutJson = z.object({ id: z.string(), status: z.string(), order_id: z.string() }).loose();

/** @param aheadMs how far the clock of the admin API's machine is ahead of the database's */
export function openAdminApi(aheadMs = 0) {
  const harness = new TestCheckoutServer();
  const { server: checkouts } = harness;
  const clock = { ...harness.clock, now: () => harness.clock.now() + aheadMs };
  const lines: string[] = [];
  const facts: object[] = [];
  const log: Log = (level, event, fields) => {
    if (level === 'info') facts.push({ event, ...fields });
    else lines.push(event);
  };
  const app = createApp(log);
  addAdminRoutes(app, {
    checkouts,
    tokens: [token, secondToken],
    publicUrl: 'https://shop.example',
    currencies: ['RUB'],
    isTest: true,
    pageQr: true,
    operatorPage: 'dist/operator/operator-page.js',
    openApi: 'docs/openapi/server.json',
    log,
    clock,
  });
  const send = async (
    method: string,
    path: string,
    { body, headers = {}, address = '192.0.2.1' }: RequestParts = {},
  ) => {
    const init = {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && {
        body: typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body),
      }),
    };
    const response = await app.fetch(new Request(`http://127.0.0.1:8080${path}`, init), { address });
    const text = await response.text();
    const json: unknown = text === '' ? undefined : JSON.parse(text);
    checkAdminAnswer(method, path, body, { status: response.status, headers: response.headers, json });
    return { status: response.status, headers: response.headers, json };
  };
  return { harness, send, lines, facts };
}

interface RequestParts {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly address?: string;
}

export const order = { order_id: '1001', amount: '1500.00', currency: 'RUB' };
export const parseProblem = ({ json }: { readonly json: unknown }) =>
  z.object({ status: z.number(), code: z.string(), detail: z.string().optional() }).parse(json);
