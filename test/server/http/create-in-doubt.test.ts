import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore } from '../../../src/server.ts';
import { settle } from '../../support/fake-clock.ts';
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
  await harness.advance(10_000);
  harness.crash();
  const repeatedResponse = harness.createInvoice();
  await harness.advance(2500);
  assert.equal(harness.service.createRequests.length, 1, 'the lease of the dead process is respected');
  await harness.advance(2500);
  assert.equal((await repeatedResponse).checkout.invoice?.id, 'inv_1');
  const { checkout } = await harness.getCheckout();
  assert.equal(checkout.invoice?.id, 'inv_1');
  assert.equal(new Set(harness.service.createRequests.map(({ external_id }) => external_id)).size, 1);
});

test('a slow call of a running process is not repeated by another process', async () => {
  const harness = await TestCheckoutServer.open();
  const otherProcess = harness.otherProcess();
  otherProcess.server.start();
  const serviceGate = createGate();
  harness.service.createFaults.push({ kind: 'hangs', until: serviceGate.promise });
  const response = harness.createInvoice();
  await harness.advance(10_000);
  const joinedResponse = otherProcess.createInvoice({ key: 'key-2' });
  await harness.advance(15_000);
  assert.deepEqual([(await response).status, (await joinedResponse).status], [202, 202]);
  assert.equal(harness.service.createRequests.length, 1);
  serviceGate.open();
  await settle();
  assert.equal((await otherProcess.getCheckout()).checkout.invoice?.id, 'inv_1');
});

test('a call whose lease cannot be renewed is finished, and its process makes no second call beside it', async () => {
  const renewAttemptLease = () => Promise.reject(new Error('the database is not available'));
  const harness = await TestCheckoutServer.open({}, { store: { ...createMemoryStore(), renewAttemptLease } });
  const serviceGate = createGate();
  harness.service.createFaults.push({ kind: 'hangs', until: serviceGate.promise });
  void harness.createInvoice();
  await harness.advance(6000);
  serviceGate.open();
  await harness.advance(1000);
  assert.ok(harness.loggedEvents().includes('lease_renewal_failed'));
  assert.equal(harness.service.createRequests.length, 1);
  assert.equal((await harness.loadAttempts()).length, 1);
  assert.equal((await harness.getCheckout()).checkout.invoice?.amount, '1500.00');
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
