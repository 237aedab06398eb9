import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createMemoryStore, type CheckoutStore } from '../../../src/server.ts';
import { InvoiceServiceError } from '../../../src/server-internals.ts';
import { createGate, TestCheckoutServer } from '../../support/test-checkout-server.ts';

for (const code of ['already_exists', 'invalid_argument'] as const)
  test(`a create in doubt whose repeat is refused with ${code} makes no other invoice for the same key, and a new key does`, async () => {
    const harness = await TestCheckoutServer.open();
    harness.service.createFaults.push(
      { kind: 'lost' },
      { kind: 'fails', failure: 'refused', code, httpStatus: code === 'already_exists' ? 409 : 400 },
    );
    assert.equal((await harness.createInvoice()).status, 202);
    await harness.advance(1500); // create recovery repeats the call
    for (let repeat = 0; repeat < 3; repeat += 1) {
      assert.equal((await harness.createInvoice()).problem.code, 'method_unavailable');
      await harness.advance(5000);
    }
    assert.equal(harness.service.createRequests.length, 2);
    assert.equal((await harness.createInvoice({ key: 'key-2' })).status, 201);
  });

test('the call of a process that dies is repeated by another process with the same external_id, after the lease', async () => {
  const harness = await TestCheckoutServer.open();
  harness.service.createFaults.push({ kind: 'hangs', until: new Promise(() => undefined) });
  void harness.createInvoice().catch(() => undefined);
  await harness.advance(7000);
  harness.crash();
  const repeatedResponse = harness.createInvoice();
  await harness.advance(1500);
  assert.equal(harness.service.createRequests.length, 1, 'the lease of the dead process is respected');
  await harness.advance(1000); // the lease is 9 s: the time of a call, and a second
  assert.equal((await repeatedResponse).checkout.invoice?.id, 'inv_1');
  const { checkout } = await harness.getCheckout();
  assert.equal(checkout.invoice?.id, 'inv_1');
  assert.equal(new Set(harness.service.createRequests.map(({ external_id }) => external_id)).size, 1);
});

test('a slow call of a running process is not repeated by another process before it has ended', async () => {
  const harness = await TestCheckoutServer.open();
  const otherProcess = harness.otherProcess();
  otherProcess.server.start();
  const serviceGate = createGate();
  harness.service.createFaults.push({ kind: 'hangs', until: serviceGate.promise });
  const response = harness.createInvoice();
  await harness.advance(6000);
  const joinedResponse = otherProcess.createInvoice({ key: 'key-2' });
  await harness.advance(1500);
  assert.equal(harness.service.createRequests.length, 1);
  serviceGate.open();
  await harness.advance(0);
  assert.deepEqual([(await response).status, (await joinedResponse).status], [201, 200]);
  assert.equal((await otherProcess.getCheckout()).checkout.invoice?.id, 'inv_1');
});

for (const saveMs of [0, 2500])
  test(`a call that is claimed ${saveMs} ms before it begins ends a second before its lease, and then its answer is in doubt`, async () => {
    const memory = createMemoryStore();
    const store: CheckoutStore = {
      ...memory,
      async save(...args) {
        await new Promise<void>((resolve) => void harness.fakeClock.schedule(saveMs, resolve));
        return memory.save(...args);
      },
    };
    const harness: TestCheckoutServer = await TestCheckoutServer.open({}, { store });
    harness.service.createFaults.push({ kind: 'hangs', until: new Promise(() => undefined) });
    const startedAt = harness.clock.now();
    void harness.createInvoice();
    await harness.advance(saveMs + 1);
    const leaseUntil = (await harness.loadAttempts())[0]?.leaseUntil ?? 0;
    assert.ok(Math.abs(leaseUntil - startedAt - 9000) < 50, String(leaseUntil - startedAt));
    await harness.advance(8050); // the result is saved for as long as the claim
    const [attempt] = await harness.loadAttempts();
    assert.deepEqual([attempt?.state, attempt?.leaseUntil], ['in_doubt', 0]);
  });

suite('a create that fails for a moment', () => {
  const fails = { kind: 'fails', failure: 'unavailable' } as const;
  for (const [name, fault] of [
    ['whose answer is lost', { kind: 'lost' }],
    ['that the service has certainly not received', fails],
  ] as const)
    test(`and ${name} is repeated once within a second or two, while the payer is told to wait`, async () => {
      const harness = await TestCheckoutServer.open();
      harness.service.createFaults.push(fault);
      assert.equal((await harness.createInvoice()).status, 202);
      await harness.advance(1500);
      assert.equal((await harness.getCheckout()).checkout.invoice?.id, 'inv_1');
      const [first, second] = harness.service.createRequests;
      assert.equal(harness.service.createRequests.length, 2);
      assert.equal(second?.external_id, first?.external_id);
    });

  test('twice, and that the service has certainly not received, is refused, so that the payer can try again', async () => {
    const harness = await TestCheckoutServer.open();
    harness.service.createFaults.push(fails, fails);
    assert.equal((await harness.createInvoice()).status, 202);
    await harness.advance(2000);
    assert.equal((await harness.getCheckout()).checkout.status, 'open');
    assert.equal(harness.service.createRequests.length, 2);
    assert.equal((await harness.createInvoice()).status, 201);
  });

  test('is refused at once while the service has not answered the create before, either', async () => {
    const harness = await TestCheckoutServer.open();
    harness.service.createFaults.push({ kind: 'lost' }, fails);
    assert.equal((await harness.createInvoice({ method: 'pm_card' })).status, 202);
    const refused = await harness.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true });
    assert.equal(refused.problem.code, 'try_again');
    assert.equal(harness.service.createRequests.length, 2);
  });

  test('with a Retry-After is not repeated before it', async () => {
    const harness = await TestCheckoutServer.open();
    const create = harness.service.createInvoice.bind(harness.service);
    const calledAt: number[] = [];
    harness.service.createInvoice = async (request) => {
      calledAt.push(harness.clock.now());
      if (calledAt.length > 1) return create(request);
      const facts = { failure: 'unavailable', code: 'resource_exhausted', httpStatus: 429 } as const;
      throw new InvoiceServiceError('429', { ...facts, retryAfterMs: 7000 });
    };
    const response = await harness.createInvoice();
    assert.deepEqual([response.status, response.headers.get('retry-after')], [202, '7']);
    await harness.advance(6900);
    assert.equal(calledAt.length, 1);
    await harness.advance(1500);
    assert.equal((await harness.getCheckout()).checkout.invoice?.id, 'inv_1');
  });
});

test('in an outage only the first create is repeated soon, and creates in doubt at most five times in half a minute', async () => {
  for (const failure of ['unavailable', 'ambiguous'] as const) {
    const harness = await TestCheckoutServer.open();
    harness.service.createOutage = { kind: 'fails', failure };
    for (let order = 0; order < 20; order += 1) {
      harness.id = await harness.createCheckout({ orderId: `order-${order}` });
      await harness.createInvoice();
    }
    await harness.advance(900);
    assert.equal(harness.service.createRequests.length, 21);
    await harness.advance(29_000);
    const repeats = harness.service.createRequests.length - 20;
    assert.ok(failure === 'unavailable' ? repeats === 1 : repeats <= 20 * 5, `${repeats} repeats`);
  }
});

test('a payer who repeats a create in doubt every two seconds causes no more calls than its schedule', async () => {
  const counts: number[] = [];
  for (const isRepeated of [false, true]) {
    const harness = await TestCheckoutServer.open();
    harness.service.createOutage = { kind: 'lost' };
    assert.equal((await harness.createInvoice()).status, 202);
    for (let second = 0; second < 600; second += 2) {
      await harness.advance(2000);
      if (isRepeated) assert.equal((await harness.createInvoice()).status, 202);
      if (isRepeated) await harness.sendWebhook();
    }
    counts.push(harness.service.createRequests.length);
  }
  const [planned = 0, repeated = 0] = counts;
  assert.ok(planned > 5 && repeated <= 1.2 * planned, counts.join());
});
