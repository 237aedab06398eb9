import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreUnavailableError } from '../../src/server/ports/checkout-store.ts';
import { endpoint, TestCheckoutServer } from '../support/test-checkout-server.ts';

/** What a GET of the checkout API answers, without the clock. */
async function readByHttp({ server, capability }: TestCheckoutServer): Promise<unknown> {
  const response = await server.handle(new Request(`${endpoint}/${capability}`), { address: undefined });
  return response.json();
}

test('view shows what a GET of the checkout API shows: before an invoice, while it waits, and with the methods', async () => {
  const harness = await TestCheckoutServer.open();
  const { server, capability } = harness;
  const read = async (): Promise<unknown> => JSON.parse(JSON.stringify(await server.view(capability)));
  assert.deepEqual(await read(), { checkout: await readByHttp(harness) });
  await harness.createInvoice();
  assert.deepEqual(await read(), { checkout: await readByHttp(harness) });
  const withMethods = await server.view(capability, { options: true });
  assert.ok('checkout' in withMethods && withMethods.checkout.options.length > 0);
});

test('view refuses an unknown capability, and a checkout whose store does not answer, as the checkout API does', async () => {
  const { server, capability, id, store } = await TestCheckoutServer.open();
  for (const wrong of ['', id, `${capability}a`, 'chk_none'])
    assert.equal(Reflect.get(await server.view(wrong), 'refused'), 'not_found', wrong);
  Object.assign(store, { load: () => Promise.reject(new StoreUnavailableError('away')) });
  assert.deepEqual(await server.view(capability), { refused: 'try_again', retryAfterMs: 2000 });
});

test('a query of view that is not valid names the member', async () => {
  const { server, capability } = await TestCheckoutServer.open();
  await assert.rejects(server.view(capability, { check: true, ...{ option: true } }), { path: 'option' });
  await assert.rejects(server.view(capability, { amount: '1,5' }), { path: 'amount' });
});
