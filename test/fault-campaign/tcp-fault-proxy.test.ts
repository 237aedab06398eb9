import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { openFaultProxy, type ProxyFault } from './tcp-fault-proxy.ts';

const text = 'x'.repeat(2000);
const server = createServer((_, response) => response.end(text)).listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => server.close());
const address = server.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;

async function fetchThrough(fault: ProxyFault | undefined, withinMs = 30_000) {
  const proxy = await openFaultProxy({ target: () => port, nextFault: () => fault });
  const startedAt = performance.now();
  try {
    const init = { signal: AbortSignal.timeout(withinMs), headers: { connection: 'close' } };
    const response = await fetch(`http://127.0.0.1:${proxy.port}`, init);
    const body = await response.text();
    return {
      outcome: body === text ? 'complete' : 'incomplete',
      ms: performance.now() - startedAt,
      timesApplied: proxy.timesApplied,
    };
  } catch (error) {
    const outcome = error instanceof Error ? error.name : '';
    return { outcome, ms: performance.now() - startedAt, timesApplied: proxy.timesApplied };
  } finally {
    await proxy.close();
  }
}

test('a proxy without a fault forwards requests and responses', async () => {
  assert.equal((await fetchThrough(undefined)).outcome, 'complete');
});

test('the faults latency and bandwidth delay a response, which still arrives completely', async () => {
  const delayedResponse = await fetchThrough({ kind: 'latency', ms: 60 });
  assert.deepEqual([delayedResponse.outcome, delayedResponse.ms >= 115], ['complete', true]);
  const slowResponse = await fetchThrough({ kind: 'bandwidth', bytesPerSecond: 20_000 });
  assert.deepEqual([slowResponse.outcome, slowResponse.ms >= 90], ['complete', true]);
});

for (const kind of ['reset', 'cut'] as const)
  for (const afterBytes of [0, 1000])
    test(`the fault ${kind} ends a connection after ${afterBytes} bytes of the response`, async () => {
      const { outcome, timesApplied } = await fetchThrough({ kind, afterBytes });
      assert.deepEqual([outcome, timesApplied.get(kind)], ['TypeError', 1]);
    });

test('the fault stall stops forwarding and keeps the connection open', async () => {
  assert.equal((await fetchThrough({ kind: 'stall', afterBytes: 100 }, 200)).outcome, 'TimeoutError');
});

test('stopFaults closes faulty connections, and new connections have no faults', async () => {
  const proxy = await openFaultProxy({ target: () => port, nextFault: () => ({ kind: 'stall', afterBytes: 0 }) });
  const url = `http://127.0.0.1:${proxy.port}`;
  const stalledResult = fetch(url).then(
    () => 'answered',
    () => 'failed',
  );
  while (proxy.timesApplied.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  proxy.stopFaults();
  assert.equal(await stalledResult, 'failed');
  assert.equal(await (await fetch(url, { headers: { connection: 'close' } })).text(), text);
  await proxy.close();
});
