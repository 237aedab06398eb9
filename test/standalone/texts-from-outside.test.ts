import assert from 'node:assert/strict';
import { cpuUsage } from 'node:process';
import { test } from 'node:test';
import { z } from 'zod';
import { createInvoiceServiceClient } from '../../src/server.ts';
import { createdInvoice, fetchedInvoice, paymentOption } from '../../src/service-api.ts';
import { createPayPage } from '../../src/standalone.ts';
import { EnvironmentError } from '../../src/standalone/environment/read-variables.ts';
import { readServerEnvironment, serverVariables } from '../../src/standalone/environment/server-environment.ts';
import { AutoAdvancingClock } from '../support/auto-advancing-clock.ts';
import { serviceFetch } from '../support/service-fetch.ts';
import { endpoint, TestCheckoutServer } from '../support/test-checkout-server.ts';
import { openAdminApi, order } from './open-admin-api.ts';

// Nothing that comes from outside holds the event loop for more than 50 ms. In quadratic time, texts of this length take half a
// second or more; a text that is read in linear time, or is too long to be read at all, takes a few milliseconds.

const maxMs = 50;
const length = 100_000;

/** What the texts are made of: what regular expressions repeat, and what parsers split at. */
const fills = [' ', '\n', 'a', '0', '-', 'T', '+', '/', '=', '"', '\\', '.', 'a-', 'a,', ',;', '0.', '{', 'é'];
const headerFills = fills.filter((fill) => fill !== '\n' && fill !== 'é');

const clock = new AutoAdvancingClock();
/** A timer is always set, because a page also waits for what takes real time, such as its compression. */
const tick = (): void => void clock.schedule(250, tick);
tick();
const unlimited = { burst: 1e6, perMinute: 1e6 };

/** A shop whose service answers with these members, and its pay page. */
async function openShop(members: object, option: object = {}, fetched: object = {}) {
  const invoice = { id: 'inv_1', amount: '1500.00', status: 'PENDING', nspk_url: 'https://qr.nspk.ru/A' };
  const service = createInvoiceServiceClient({
    baseUrl: 'https://invoices.example',
    token: 'token',
    clock,
    log: () => undefined,
    fetch: serviceFetch((operation, { external_id }) => {
      if (operation === 'CreateInvoice') return { ...invoice, external_id, ...members };
      if (operation === 'FetchInvoices') return { invoices: [{ ...invoice, ...fetched }] };
      return { options: [{ id: 'pm_sbp', type: 'SBP', name: 'SBP', available: true, ...option }] };
    }),
  });
  const limits = { createsOfAddress: unlimited, createsOfCheckout: unlimited };
  const harness = new TestCheckoutServer({
    service,
    limits,
    clock: { now: () => clock.now(), monotonic: () => clock.now(), schedule: clock.schedule.bind(clock) },
  });
  harness.id = await harness.createCheckout();
  const payPage = createPayPage({ checkouts: harness.server, endpoint });
  const url = `https://shop.example/pay/${harness.capability}`;
  const show = async (init: RequestInit = {}, query = '') => {
    const response = await payPage(new Request(`${url}${query}`, init), { address: undefined });
    return response.text();
  };
  const pay = (form: Readonly<Record<string, string>>) => show({ method: 'POST', body: new URLSearchParams(form) });
  return { harness, show, pay };
}

/** Creates an invoice, fetches it, and shows the page before and after. */
async function walkThrough(...answers: Parameters<typeof openShop>): Promise<void> {
  const { show, pay } = await openShop(...answers);
  await show();
  await pay({ key: 'key', payment_method_id: 'pm_sbp' });
  await show({}, '?check=1');
}

/** The value of a JSON Schema whose texts, at any depth, are this one. */
function filled(
  { type, properties = {}, items, additionalProperties }: z.core.JSONSchema.BaseSchema,
  text: string,
): unknown {
  if (type === 'boolean') return true;
  if (type === 'array') return typeof items === 'object' && !Array.isArray(items) ? [filled(items, text)] : [];
  if (type !== 'object') return text;
  const members = Object.entries(properties).map(
    ([name, value]) => [name, typeof value === 'object' ? filled(value, text) : text] as const,
  );
  return Object.fromEntries(additionalProperties ? [[text.slice(0, 100), text], ...members] : members);
}

/** Every member of an answer of the service, also those that it will get, with this text. */
function everyMember(schema: z.ZodType, text: string): object {
  const value = filled(z.toJSONSchema(schema, { reused: 'inline', unrepresentable: 'any' }), text);
  assert.ok(typeof value === 'object' && value !== null);
  return value;
}

/** Fetches that the service answers with this error. */
async function failEachCall(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const error = () => Response.json(body, { status: 400, headers });
  const client = createInvoiceServiceClient({
    baseUrl: 'https://invoices.example',
    token: 'token',
    clock,
    log: () => undefined,
    fetch: serviceFetch(error),
  });
  await assert.rejects(client.fetchPaymentOptions(undefined));
  await client.fetchInvoices(['inv_1']).catch(() => undefined);
}

const all = <T>(names: readonly string[], value: T): Record<string, T> =>
  Object.fromEntries(names.map((name) => [name, value]));
const requisites = (text: string) =>
  all(['sbp', 'card', 'bank_transfer', 'bank'], all(['holder_name', 'phone', 'account', 'card_number', 'bik', 'id', 'code', 'name'], text)); // prettier-ignore
const times = ['expires_at', 'created_at', 'user_id', 'merchant_id', 'payment_method_id', 'status'];
const { show, pay, harness } = await openShop({});
const admin = openAdminApi();

/** How a text comes in. */
const ways: Readonly<Record<string, (text: string) => unknown>> = {
  'every member of CreateInvoice': (text) =>
    walkThrough({ ...everyMember(createdInvoice, text.slice(0, length / 10)), id: 'inv_1', amount: '1500.00' }),
  'every member of FetchInvoices': (text) =>
    walkThrough({}, {}, { ...everyMember(fetchedInvoice, text.slice(0, length / 10)), id: 'inv_1' }),
  'every member of FetchPaymentOptions': (text) =>
    walkThrough({}, { ...everyMember(paymentOption, text.slice(0, length / 10)), id: 'pm_sbp' }),
  'errors of the service': (text) => failEachCall({ code: text, message: text, error: { code: text, status: text } }),
  // Shorter, because there are many of them, and a response has at most 1 MiB.
  'requisites of the service': (text) => walkThrough(requisites(text.slice(0, length / 10))),
  'a deadline and status words of the service': (text) => walkThrough(all(times, text), {}, all(times, text)),
  'links of the service': (text) =>
    walkThrough(all(['payment_url', 'nspk_url'], `https://qr.nspk.ru/${text}?sum=${text}`)),
  'identifiers of the service': (text) => walkThrough({ id: text }, { id: text }, { id: text, external_id: text }),
  'amounts of the service': (text) =>
    walkThrough({ amount: text }, { limits: all(['min_amount', 'max_amount'], text) }, { amount: text }),
  'a method of the service': (text) =>
    walkThrough({}, { ...all(['code', 'type', 'name'], text), banks: [all(['code', 'name'], text)] }),
  'the form of the pay page': (text) =>
    pay(all(['key', 'payment_method_id', 'amount', 'replace'], text.slice(0, length / 4))),
  'the query of the pay page': (text) => show({}, `?methods=1&problem=${encodeURIComponent(text)}`),
  'a body of the checkout API': (text) =>
    harness.createInvoice({ body: JSON.stringify({ payment_method_id: text, amount: text, replace: text }) }),
  'a webhook': (text) => harness.sendWebhook(undefined, text),
  'the amount in a query': (text) => harness.getCheckout({}, `?amount=${encodeURIComponent(text)}`),
  'a body of the admin API': (text) =>
    admin.send('POST', '/admin/checkouts', { body: { ...order, description: text, reference: text, metadata: { text } } }), // prettier-ignore
  'a query of the admin API': (text) =>
    admin.send('GET', `/admin/checkouts?order_id=${encodeURIComponent(text)}&search=${encodeURIComponent(text)}`),
  'other calls of the admin API': async (longText) => {
    const text = longText.slice(0, length / 10);
    const path = `/admin/checkouts/${encodeURIComponent(text)}`;
    await admin.send('GET', path);
    await admin.send('PATCH', path, {
      body: all(['amount', 'description', 'reference', 'expires_at', 'methods'], text),
    });
    await admin.send('POST', `${path}/resolve`, { body: all(['as', 'note', 'invoice_id'], text) });
    const filters = all(['cursor', 'limit', 'kind', 'status', 'created_after', 'created_before', 'undelivered'], text);
    await admin.send('GET', `/admin/checkouts?${String(new URLSearchParams(filters))}`);
    await admin.send('GET', `/admin/outcomes?${String(new URLSearchParams(all(['after', 'limit', 'wait'], text)))}`);
  },
  'the environment': (text) => {
    for (const value of [`a${text}`, `https://a${text}`])
      assert.throws(() => readServerEnvironment(all(serverVariables, value)), EnvironmentError);
  },
  'names in the environment': (text) => {
    assert.throws(() => readServerEnvironment(all([`INVOICE_${text}`, `${text}_URL`, text], 'a')), EnvironmentError);
  },
};

const headerNames = ['accept-language', 'accept-encoding', 'if-none-match', 'prefer', 'idempotency-key', 'origin', 'purpose', 'sec-purpose', 'traceparent', 'content-type', 'authorization', 'sec-fetch-site', 'x-forwarded-for']; // prettier-ignore
const headerWays: typeof ways = {
  'headers of the service': (text) => failEachCall({}, all(['date', 'retry-after', 'content-type'], text)),
  'headers of the pay page': (text) => show({ headers: all(headerNames, text) }),
  'headers of the checkout API': (text) => harness.getCheckout(all(headerNames, text)),
  'headers of a create': (text) => harness.createInvoice({ headers: all(headerNames, text) }),
  'headers of the admin API': (text) => admin.send('GET', '/admin/checkouts', { headers: all(headerNames, text) }),
};

/** The processor time of a run in ms: the least of ten, or the first that is below `enough`. Other threads of the process count too. */
async function measure(work: () => unknown, enough = 0): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < 10 && least > enough; run += 1) {
    const before = cpuUsage();
    await clock.settle(Promise.resolve(work()));
    const { user, system } = cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

const rows = [
  ...Object.entries(ways).map((way) => [...way, fills] as const),
  ...Object.entries(headerWays).map((way) => [...way, headerFills] as const),
];
for (const [name, work, texts] of rows)
  test(`the work for ${name} is little, however long it is`, async () => {
    const shortMs = await measure(() => work('a'));
    for (const fill of texts) {
      const ms = await measure(() => work(fill.repeat(length / fill.length)), shortMs + maxMs);
      assert.ok(
        ms - shortMs < maxMs,
        `${length} characters ${JSON.stringify(fill)}: ${ms} ms, one letter: ${shortMs} ms`,
      );
    }
  });
