import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CheckoutServer } from '../../src/server.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';

const calls: Readonly<Record<string, (server: CheckoutServer, id: string) => Promise<unknown>>> = {
  update: (server, id) => server.update(id, { description: 'Tea' }),
  check: (server, id) => server.check(id),
  close: (server, id) => server.close(id),
  reopen: (server, id) => server.reopen(id),
  link: (server, id) => server.link(id),
  resolve: (server, id) => server.resolve(id, { as: 'void', note: 'seen' }),
  redeliver: (server, id) => server.redeliver(id),
};

/** Calls as a program without types does. */
async function callUntyped(call: (...args: never[]) => unknown, ...args: readonly unknown[]): Promise<unknown> {
  const result: unknown = await Reflect.apply(call, undefined, args);
  return result;
}

const noTexts: readonly unknown[] = [undefined, null, 5, {}, Symbol('id')];

for (const [name, call] of Object.entries(calls)) {
  test(`${name} of an unknown identifier is an error, and changes nothing`, async () => {
    const harness = await TestCheckoutServer.openWithInvoice();
    const { version } = await harness.loadRecord();
    const path = name === 'redeliver' ? 'outcomeId' : 'id';
    const error = { name: 'CheckoutNotFoundError', code: 'not_found', path };
    for (const id of ['co_none', '', harness.id.toUpperCase(), 'order-1', 'co_\0'])
      await assert.rejects(call(harness.server, id), error);
    assert.equal((await harness.loadRecord()).version, version);
  });

  test(`${name} says of an identifier that is no text which parameter it is`, async () => {
    const { server } = await TestCheckoutServer.open();
    const path = name === 'redeliver' ? 'outcomeId' : 'id';
    const error = { name: 'CheckoutParamsError', code: 'invalid_params', path, message: `${path}: must be a string` };
    for (const id of noTexts) await assert.rejects(callUntyped(call, server, id), error);
  });

  test(`${name} says that it was called with a capability`, async () => {
    const harness = await TestCheckoutServer.openWithInvoice();
    await assert.rejects(call(harness.server, harness.capability), (error) => {
      assert.ok(error instanceof Error);
      assert.match(error.message, /^(?:id|outcomeId): is a capability \(chk_…\)/);
      assert.match(error.message, name === 'redeliver' ? /pass the id of an outcome/ : /pass the id \(co_…\)$/);
      assert.ok(!error.message.includes(harness.capability));
      return true;
    });
  });
}

test('view refuses a capability that is no text as a wrong parameter, and any other wrong one as not_found', async () => {
  const { server } = await TestCheckoutServer.open();
  const view = (capability: never) => server.view(capability);
  const message = 'capability: must be a string';
  for (const capability of noTexts)
    await assert.rejects(view(capability as never), { name: 'CheckoutParamsError', path: 'capability', message });
  for (const capability of ['', 'chk_none', 'chk_\0', 'chk_\ud800'])
    assert.equal(((await server.view(capability)) as { refused?: string }).refused, 'not_found');
});

test('handle says that a request of Node is none of fetch', async () => {
  const { server } = await TestCheckoutServer.open();
  const error = { name: 'CheckoutOptionsError', path: 'request', message: /toNodeListener\(checkouts\)$/ };
  for (const request of [
    undefined,
    null,
    '/checkout/chk_x',
    {},
    { url: '/checkout/chk_x', method: 'GET', headers: {} },
  ])
    await assert.rejects(server.handle(request as never, { address: undefined }), error);
});

test('get and getByOrder resolve with undefined for what does not exist', async () => {
  const { server, capability } = await TestCheckoutServer.open();
  for (const id of ['co_none', capability, '']) assert.equal(await server.get(id), undefined);
  assert.equal(await server.getByOrder('none'), undefined);
  const get = (id: string) => server.get(id);
  const getByOrder = (orderId: string) => server.getByOrder(orderId);
  for (const id of noTexts) {
    await assert.rejects(callUntyped(get, id), { message: 'id: must be a string' });
    await assert.rejects(callUntyped(getByOrder, id), { message: 'orderId: must be a string' });
  }
});
