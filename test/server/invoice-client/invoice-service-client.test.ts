import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { CreateInvoiceRequest } from '../../../src/service-api.ts';
import { createdInvoice, json, scriptedClient, type ScriptedClient } from '../../support/scripted-service-client.ts';
import { createMetrics, type InvoiceService } from '../../../src/server.ts';
import { InvoiceServiceError } from '../../../src/server-internals.ts';

const request: CreateInvoiceRequest = { amount: '1500.00', mode: 'TEST', external_id: 'att_1' };
const completeRequest: CreateInvoiceRequest = {
  ...request,
  payment_method_id: 'pm_1',
  url_config: { hook_url: 'https://shop.example/hook', fail_url: undefined },
  metadata: { order: 'o1', nothing: null, list: [1, 'два'] },
  qr: { generate: true, timeout: '2s' },
};

suite('the HTTP request of the client', () => {
  for (const [operation, result, call, sentBody] of [
    [
      'CreateInvoice',
      createdInvoice,
      (service: InvoiceService) => service.createInvoice(completeRequest),
      { ...completeRequest, url_config: { hook_url: 'https://shop.example/hook' } },
    ],
    [
      'FetchPaymentOptions',
      { options: [] },
      (service: InvoiceService) => service.fetchPaymentOptions('1500.00'),
      { amount: '1500.00' },
    ],
    ['FetchPaymentOptions', {}, (service: InvoiceService) => service.fetchPaymentOptions(undefined), {}],
    ['FetchInvoices', {}, (service: InvoiceService) => service.fetchInvoices(['inv_1']), { ids: ['inv_1'] }],
  ] as const)
    test(`is one POST of the JSON ${JSON.stringify(sentBody)} with the token, and does not follow redirects`, async () => {
      const { service, sentRequests } = scriptedClient([json(200, result)], {
        baseUrl: 'https://invoices.example/base/',
      });
      await call(service);
      const [request] = sentRequests;
      assert.ok(request !== undefined && sentRequests.length === 1);
      const { url, method, redirect, headers, body } = request;
      assert.equal(url, `https://invoices.example/base/api/public/invoice.v1.PubInvoiceService/${operation}`);
      assert.deepEqual([method, redirect, headers.get('content-type')], ['POST', 'manual', 'application/json']);
      assert.equal(headers.get('authorization'), 'Bearer token-of-the-merchant');
      assert.deepEqual(body, sentBody);
    });

  test('is not sent for a create without a mode, because the mode would be LIVE', async () => {
    const { service, sentRequests, failureOf } = scriptedClient([json(200, createdInvoice)]);
    const error = await failureOf(service.createInvoice({ amount: '1500.00', external_id: 'att_1' }));
    assert.deepEqual([error.failure, error.code, sentRequests.length], ['refused', 'invalid_argument', 0]);
  });

  test('is not sent for an empty list of identifiers', async () => {
    const { service, sentRequests } = scriptedClient([json(200, { invoices: [{ id: 'inv_9' }] })]);
    assert.deepEqual(await service.fetchInvoices([]), []);
    assert.equal(sentRequests.length, 0);
  });
});

suite('createInvoice', () => {
  test('returns the invoice, without members that the contract does not have', async () => {
    const { service, clock } = scriptedClient([
      json(200, { ...createdInvoice, card: { card_number: '4242424242424242' }, new: 1 }),
    ]);
    const invoice = await service.createInvoice(request);
    assert.deepEqual(invoice, { ...createdInvoice, card: { card_number: '4242424242424242' } });
    assert.equal(clock.pending, 0);
  });
  test('fails with ambiguous when the returned invoice has another external_id', async () => {
    const { service, failureOf } = scriptedClient([json(200, { ...createdInvoice, external_id: 'att_2' })]);
    assert.equal((await failureOf(service.createInvoice(request))).failure, 'ambiguous');
  });
});

suite('fetchPaymentOptions', () => {
  test('drops malformed options, returns the others, and logs each shape once with an identifier', async () => {
    const options = [
      { id: 'pm_1', available: true },
      { id: 'pm_2', limits: { min_amount: 5 } },
      'card',
      { id: 'pm_3' },
      { id: 'pm_4', limits: { min_amount: 5 } },
    ];
    const { service, log } = scriptedClient([json(200, { options })]);
    await service.fetchPaymentOptions('1');
    assert.deepEqual(
      (await service.fetchPaymentOptions('1')).map(({ id }) => id),
      ['pm_1', 'pm_3'],
    );
    assert.deepEqual(
      log.map(({ event, facts }) => [event, facts['id'], facts['member']]),
      [
        ['invoice_service_item_dropped', 'pm_2', 'limits'],
        ['invoice_service_item_dropped', 'unreadable', 'not_of_the_contract'],
      ],
    );
  });
});

suite('long lists of the service', () => {
  test('a method has at most 500 banks, and there are at most 100 methods', async () => {
    const banks = Array.from({ length: 600 }, (_, index) => ({ code: `bank_${index}`, available: true }));
    const options = Array.from({ length: 150 }, (_, index) => ({ id: `pm_${index}`, banks: index === 0 ? banks : [] }));
    const { service, log } = scriptedClient([json(200, { options })]);
    const read = await service.fetchPaymentOptions(undefined);
    assert.equal(read.length, 100);
    assert.equal(read[0]?.banks.length, 500);
    assert.deepEqual(
      log.map(({ facts }) => [facts['member'], facts['items'] ?? facts['shape']]),
      [
        ['options', 50],
        ['banks[]', 'malformed'],
      ],
    );
  });
  test('a method or an invoice with too many values is not read', async () => {
    const members = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`member_${index}`, {}]));
    const { service } = scriptedClient([json(200, { options: [{ id: 'pm_1', members }], invoices: [{ id: 'inv_1', members, status: 'PAID' }] })]); // prettier-ignore
    assert.deepEqual(await service.fetchPaymentOptions(undefined), []);
    assert.deepEqual(await service.fetchInvoices(['inv_1']), [{ id: 'inv_1' }]);
  });
});

suite('fetchInvoices', () => {
  test('returns the requested invoices in the order of the response, and drops invoices that were not requested', async () => {
    const invoices = [{ id: 'inv_2', status: 'PAID' }, { id: 'inv_9' }, { status: 'PAID' }, { id: 'inv_1', status: 7 }];
    const { service } = scriptedClient([json(200, { invoices, total: 4 })]);
    const invoicesRead = await service.fetchInvoices(['inv_1', 'inv_2', 'inv_3']);
    assert.deepEqual(invoicesRead, [
      { id: 'inv_2', status: 'PAID' },
      { id: 'inv_1', status: '7' },
    ]);
  });
  for (const id of ['+79001234567', 'x'.repeat(999), 7])
    test(`never logs what is no identifier of an invoice: ${String(id).slice(0, 20)}`, async () => {
      const { service, log } = scriptedClient([json(200, { invoices: [{ id, amount: 5 }] })]);
      assert.deepEqual(await service.fetchInvoices(['inv_1']), []);
      assert.deepEqual(
        log.map(({ facts }) => facts['id']),
        ['unreadable'],
      );
    });
  test('reads no more invoices than were asked for, and tells how many there were in one line, once', async () => {
    const invoices = [...Array<object>(100_000).fill({}), { id: 'inv_1', amount: '1.00', status: 'PAID' }];
    const { service, log } = scriptedClient([json(200, { invoices })]);
    for (let fetch = 0; fetch < 3; fetch += 1)
      assert.deepEqual(await service.fetchInvoices(['inv_1']), [{ id: 'inv_1', amount: '1.00', status: 'PAID' }]);
    const facts = { operation: 'FetchInvoices', member: 'invoices', items: 100_000, id: 'unreadable' };
    assert.deepEqual(log, [{ level: 'error', event: 'invoice_service_item_dropped', facts }]);
  });
  test('reads an invoice that comes many times once, and no member of it when any of them differs', async () => {
    const same = Array<object>(5000).fill({ id: 'inv_1', status: 'PENDING' });
    const { service } = scriptedClient([
      json(200, { invoices: same }),
      json(200, { invoices: [...same, { id: 'inv_1', status: 'PAID' }, ...same] }),
    ]);
    assert.deepEqual(await service.fetchInvoices(['inv_1']), same.slice(0, 1));
    assert.deepEqual(await service.fetchInvoices(['inv_1']), [{ id: 'inv_1' }]);
  });
  test('asks for fewer invoices at once when a response is too long, such as with much metadata', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `inv_${index}`);
    const respond = ({ body }: { readonly body: Readonly<Record<string, unknown>> }): Response =>
      Response.json({ invoices: [body['ids']].flat().map((id) => ({ id, metadata: { text: 'x'.repeat(30_000) } })) });
    const { service, sentRequests, failureOf } = scriptedClient([respond]);
    await failureOf(service.fetchInvoices(ids));
    assert.equal((await service.fetchInvoices(ids)).length, 40);
    assert.equal(sentRequests.length, 3);
  });
});

async function fetchedWith(members: object) {
  const client = scriptedClient([json(200, { invoices: [{ id: 'inv_1', ...members }] })]);
  const invoices = [await client.service.fetchInvoices(['inv_1']), await client.service.fetchInvoices(['inv_1'])];
  return { invoice: invoices[0]?.[0], log: client.log };
}

suite('a fetched invoice', () => {
  test('without a status is one error in the log, however often it is fetched', async () => {
    const { invoice, log } = await fetchedWith({ status: null });
    assert.equal(invoice?.status, undefined);
    const facts = { operation: 'FetchInvoices', member: 'status', shape: 'missing' };
    assert.deepEqual(log, [{ level: 'error', event: 'invoice_service_member_dropped', facts }]);
  });
  test('with malformed members keeps the others, and each shape is one line of the log', async () => {
    const { invoice, log } = await fetchedWith({
      status: 'PAID',
      expires_at: 1_790_000_000,
      bank: { id: ['x'], code: 'b' },
      payment_url: { href: 'https://pay.example' },
      external_id: 'a\0b', // PostgreSQL could not store it
    });
    assert.deepEqual([invoice?.status, invoice?.bank?.code], ['PAID', 'b']);
    assert.deepEqual(
      log.map(({ facts }) => [facts['member'], facts['shape']]),
      [
        ['external_id', 'string'],
        ['payment_url', 'object'],
        ['expires_at', 'number'],
        ['bank.id', 'array'],
      ],
    );
  });
});

suite('a created invoice', () => {
  test('with a card number that is a number has no card to pay to, one error in the log and a metric', async () => {
    const metrics = createMetrics();
    const card = { holder_name: 'H', card_number: 2_200_000_000_000_004 };
    const { service, log } = scriptedClient([json(200, { ...createdInvoice, card, sbp: { phone: '+7' } })], {
      metrics,
    });
    const invoice = await service.createInvoice(request);
    await service.createInvoice(request);
    assert.deepEqual([invoice.card, invoice.sbp], [undefined, { phone: '+7' }]);
    assert.deepEqual(
      log.map(({ level, facts }) => [level, facts]),
      [['error', { operation: 'CreateInvoice', member: 'card.card_number', shape: 'number' }]],
    );
    assert.match(
      await metrics.expose(),
      /^pay_invoice_service_members_dropped_total\{operation="CreateInvoice",member="card.card_number"\} 2$/m,
    );
  });
  test('with U+0000 in its id is unreadable, and the create stays in doubt', async () => {
    const { service, failureOf } = scriptedClient([json(200, { ...createdInvoice, id: 'inv_\0' })]);
    assert.equal((await failureOf(service.createInvoice(request))).failure, 'ambiguous');
  });
});

test('a bank without a code is dropped from its method with one warning', async () => {
  const option = { id: 'pm_1', available: true, banks: [{ code: 'a' }, { name: 'b' }] };
  const { service, log } = scriptedClient([json(200, { options: [option] })]);
  const [first] = await service.fetchPaymentOptions(undefined);
  assert.equal(first?.banks.length, 1);
  assert.deepEqual(
    log.map(({ level, facts }) => [level, facts['member'], facts['shape']]),
    [['warn', 'banks[]', 'malformed']],
  );
});

const idsOf = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `inv_${index}`);

/** A service that refuses lists with `refuses`, and otherwise returns every invoice. */
function clientOf(refuses: (ids: readonly unknown[]) => number | undefined): ScriptedClient {
  return scriptedClient([
    (request, signal) => {
      const { ids } = request.body;
      assert.ok(Array.isArray(ids));
      const status = refuses(ids);
      if (status !== undefined) return json(status, '')(request, signal);
      return json(200, { invoices: ids.map((id: unknown) => ({ id, status: 'PENDING' })) })(request, signal);
    },
  ]);
}

/** Fetches as the status poller does: halves a refused list. Returns how many invoices the service has returned. */
async function fetchAndHalve({ service, clock }: ScriptedClient, ids: readonly string[]): Promise<number> {
  const result = await clock.settle(service.fetchInvoices(ids));
  if (result.status === 'fulfilled') return result.value.length;
  assert.ok(result.reason instanceof InvoiceServiceError);
  if (ids.length === 1 || result.reason.code === 'resource_exhausted') return 0;
  const middle = Math.ceil(ids.length / 2);
  const client = { service, clock } as ScriptedClient;
  return (await fetchAndHalve(client, ids.slice(0, middle))) + (await fetchAndHalve(client, ids.slice(middle)));
}

const lengths = ({ sentRequests }: ScriptedClient, from = 0): readonly number[] =>
  sentRequests.slice(from).map(({ body }) => (Array.isArray(body['ids']) ? body['ids'].length : 0));

suite('a service that takes fewer identifiers than a batch has', () => {
  test('is asked with lists that it takes, once it has refused longer lists', async () => {
    const client = clientOf((ids) => (ids.length > 20 ? 400 : undefined));
    assert.equal(await fetchAndHalve(client, idsOf(100)), 100);
    const learntAfter = client.sentRequests.length;
    assert.ok(learntAfter <= 15, `${learntAfter} requests`);
    for (let batch = 0; batch < 10; batch += 1) assert.equal(await fetchAndHalve(client, idsOf(100)), 100);
    assert.deepEqual(new Set(lengths(client, learntAfter)), new Set([13, 9]));
  });

  test('is asked with many lists at once under one signal, without a warning of a leak', async (context) => {
    const warn = context.mock.method(process, 'emitWarning', () => undefined);
    const client = clientOf((ids) => (ids.length > 1 ? 400 : undefined));
    await fetchAndHalve(client, idsOf(4));
    const { signal } = new AbortController();
    await client.clock.settle(client.service.fetchInvoices(idsOf(40), signal));
    assert.deepEqual(
      warn.mock.calls.map(({ arguments: [warning] }) => String(warning)),
      [],
    );
  });

  test('with 413 is asked with half of the list, without a refusal of another size', async () => {
    const client = clientOf((ids) => (ids.length > 20 ? 413 : undefined));
    const counts: number[] = [];
    for (let batch = 0; batch < 4; batch += 1) counts.push(await fetchAndHalve(client, idsOf(100)));
    assert.deepEqual(counts, [0, 0, 0, 100]);
    assert.ok(Math.max(...lengths(client).slice(-9)) <= 12);
  });

  test('is asked with a whole batch again after an hour, because it may take more by then', async () => {
    const limit = { value: 20 };
    const client = clientOf((ids) => (ids.length > limit.value ? 400 : undefined));
    await fetchAndHalve(client, idsOf(100));
    limit.value = 100;
    await client.clock.value(client.clock.sleep(3_600_001));
    const countBefore = client.sentRequests.length;
    await fetchAndHalve(client, idsOf(100));
    assert.deepEqual(lengths(client, countBefore), [100]);
  });
});

suite('a service that refuses a list because of one identifier', () => {
  for (const refused of ['inv_0', 'inv_57'])
    test(`keeps its whole batches when that is ${refused} of 100`, async () => {
      const client = clientOf((ids) => (ids.includes(refused) ? 400 : undefined));
      assert.equal(await fetchAndHalve(client, idsOf(100)), 99);
      const countBefore = client.sentRequests.length;
      const others = idsOf(100).filter((id) => id !== refused);
      for (let batch = 0; batch < 3; batch += 1) await fetchAndHalve(client, others);
      assert.deepEqual(lengths(client, countBefore), [99, 99, 99]);
    });
});
