// The instrumentations that a merchant uses, which `npm ci` in this folder installs, around the standalone server on PostgreSQL.
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { postgresDatabases } from '../stores/databases.ts';
import { adminToken, Buyer } from '../support/buyer.ts';
import { startRecordingService } from '../support/recording-service.ts';
import { startServerProcess } from '../support/standalone-server-process.ts';
import { until } from '../support/wait-until.ts';

const postgres = await postgresDatabases();

const spanSchema = z.object({
  name: z.string(),
  kind: z.number(),
  traceId: z.string(),
  spanId: z.string(),
  parentId: z.string().nullable(),
  attributes: z.record(z.string(), z.unknown()),
});
/** OpenTelemetry's numbers of the kinds of spans. */
const [serverKind, clientKind] = [1, 2];

/** What a client sends. These instrumentations continue its trace; others start a new one. */
const payersHeader = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

const logLineSchema = z.object({ event: z.string(), trace_id: z.string().optional() });

/** The texts that follow a prefix, each to the end of its line. */
const linesOf = (output: string, prefix: string): readonly unknown[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith(prefix))
    .map((line): unknown => JSON.parse(line.replace(/^SPAN /, '')));

test(
  'one trace goes from the payer’s POST over the database to CreateInvoice and into the log, and ends there',
  { skip: postgres === undefined && 'not installed: apt-get install postgresql' },
  async (t) => {
    t.after(() => postgres?.end());
    const service = await startRecordingService(({ operation, body }) => {
      if (operation === 'FetchPaymentOptions')
        return { body: { options: [{ id: 'pm', type: 'CARD', name: 'Card', available: true, limits: {} }] } };
      const { amount, external_id } = body;
      if (operation === 'CreateInvoice')
        return { body: { id: 'inv_1', amount, external_id, sbp: { phone: '+79990000000' } } };
      return { body: { invoices: [{ id: 'inv_1', status: 'PENDING' }] } };
    });
    t.after(() => service.close());
    const server = await startServerProcess(t, service.url, {
      DATABASE_URL: (await postgres?.fresh())?.databaseUrl,
      ADMIN_TOKEN: adminToken,
      NODE_OPTIONS: `--import ${pathToFileURL(resolve('test/tracing/register.mjs')).href}`,
    });
    const headersOf = (operation: string): readonly string[] =>
      service.requests
        .filter((request) => request.operation === operation)
        .map(({ headers }) => String(headers['traceparent']));

    const buyer = new Buyer({ url: server.url, sandbox: null });
    await buyer.order();
    const response = await fetch(`${server.url}/checkout/${buyer.checkoutId}/invoice`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'key', traceparent: payersHeader },
      body: JSON.stringify({ payment_method_id: 'pm' }),
    });
    assert.equal(response.status, 201);
    await until('the invoice is fetched three times', () => headersOf('FetchInvoices').length >= 3);

    const spans = z.array(spanSchema).parse(linesOf(server.output(), 'SPAN '));
    const post = spans.find(
      ({ kind, attributes }) =>
        kind === serverKind && String(attributes['url.path'] ?? attributes['http.target']).endsWith('/invoice'),
    );
    const trace = spans.filter(({ traceId }) => traceId === post?.traceId);
    const call = trace.find(
      ({ kind, attributes }) => kind === clientKind && String(attributes['url.full']).endsWith('CreateInvoice'),
    );
    assert.ok(
      trace.some(({ name }) => name.startsWith('pg.query')),
      'the trace has a query of the database',
    );
    // Two headers would be received as one text with a comma.
    assert.deepEqual(headersOf('CreateInvoice'), [`00-${post?.traceId}-${call?.spanId}-01`]);
    const lines = z.array(logLineSchema).parse(linesOf(server.output(), '{'));
    assert.equal(lines.find(({ event }) => event === 'invoice_created')?.trace_id, post?.traceId);
    // The worker that the POST has woken works for all payers.
    for (const header of headersOf('FetchInvoices')) assert.ok(!header.includes(post?.traceId ?? ''), header);
  },
);
