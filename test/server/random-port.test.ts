import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomId, systemRandom, type Random } from '../../src/base/random.ts';
import { operationPath } from '../../src/service-api.ts';
import { createSandbox } from '../../src/sandbox.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';
import { FakeClock } from '../support/fake-clock.ts';

/** Randomness that counts: each byte is larger by one than the byte before. */
function countingRandom(first = 0): Random {
  let next = first;
  return { number: () => 0, bytes: (count) => Uint8Array.from({ length: count }, () => next++) };
}

test('an identifier has 144 random bits in the alphabet of base64url', () => {
  assert.equal(randomId(countingRandom()), 'AAECAwQFBgcICQoLDA0ODxAR');
  assert.equal(randomId({ number: () => 0, bytes: (count) => new Uint8Array(count).fill(255) }), '_'.repeat(24));
  const ids = new Set(Array.from({ length: 1000 }, () => randomId(systemRandom)));
  assert.equal(ids.size, 1000);
  for (const id of ids) assert.match(id, /^[\w-]{24}$/);
});

test('the identifiers and secrets of a checkout and of its attempt come from the random port', async () => {
  const [harness, twin] = await Promise.all(
    [1, 2].map(async () => {
      const opened = await TestCheckoutServer.openWithInvoice({}, { random: countingRandom() });
      return opened;
    }),
  );
  const record = await harness?.loadRecord();
  assert.ok(record?.attempts[0] !== undefined);
  const ids = [record.id, record.capability, record.hookSecret, record.attempts[0].externalId];
  assert.deepEqual(ids, [
    'co_AAECAwQFBgcICQoLDA0ODxAR',
    'chk_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIj',
    'JCUmJygpKissLS4vMDEyMzQ1',
    'att_Njc4OTo7PD0-P0BBQkNERUZH',
  ]);
  assert.deepEqual(await twin?.loadRecord(), record);
});

test('the trace identifier of an internal error comes from the random port', async () => {
  const harness = await TestCheckoutServer.open({}, { random: countingRandom() });
  harness.store.load = () => Promise.reject(new Error('a defect'));
  const { problem } = await harness.getCheckout();
  assert.equal(problem.trace_id, 'Njc4OTo7PD0-P0BBQkNERUZH');
});

test('the sandbox takes the identifiers of its invoices from the random port', async () => {
  const sandbox = createSandbox({ token: 'token', clock: new FakeClock(), random: countingRandom() });
  const response = await sandbox.fetch(
    new Request(`http://sandbox${operationPath('CreateInvoice')}`, {
      method: 'POST',
      headers: { authorization: 'Bearer token', 'content-type': 'application/json' },
      body: JSON.stringify({ amount: '10.00', mode: 'TEST' }),
    }),
  );
  assert.match(await response.text(), /"inv_0123456789abcdefghjkmnpq"/);
  await sandbox.close();
});
