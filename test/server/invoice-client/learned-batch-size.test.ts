import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { json, scriptedClient, type ScriptedClient } from '../../support/scripted-service-client.ts';
import { InvoiceServiceError } from '../../../src/server.ts';

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
    assert.ok(
      lengths(client)
        .slice(-9)
        .every((length) => length <= 12),
    );
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
  for (const refused of ['inv_0', 'inv_57', 'inv_99'])
    test(`keeps its whole batches when that is ${refused} of 100`, async () => {
      const client = clientOf((ids) => (ids.includes(refused) ? 400 : undefined));
      assert.equal(await fetchAndHalve(client, idsOf(100)), 99);
      const countBefore = client.sentRequests.length;
      const others = idsOf(100).filter((id) => id !== refused);
      for (let batch = 0; batch < 3; batch += 1) await fetchAndHalve(client, others);
      assert.deepEqual(lengths(client, countBefore), [99, 99, 99]);
    });
});
