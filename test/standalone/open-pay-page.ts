import assert from 'node:assert/strict';
import { createPayPage, type PayPageOptions } from '../../src/standalone.ts';
import { endpoint, TestCheckoutServer } from '../support/test-checkout-server.ts';

export const shop = { name: 'Leaf & <Clay>', logoUrl: 'https://cdn.example/logo.svg' };

/** A checkout with its pay page. `calls` are those of the checkout server. */
export async function openPage(
  changes: Parameters<typeof TestCheckoutServer.open>[0] = {},
  options: Partial<PayPageOptions> = {},
  serverOptions: Parameters<typeof TestCheckoutServer.open>[1] = {},
) {
  const harness = await TestCheckoutServer.open(changes, serverOptions);
  const calls: string[] = [];
  const payPage = createPayPage({
    checkouts: {
      handle: (request, client) => {
        calls.push(`${request.method} ${new URL(request.url).pathname}`);
        return harness.server.handle(request, client);
      },
      view: (capability, query) => {
        calls.push(`view ${capability}`);
        return harness.server.view(capability, query);
      },
    },
    endpoint,
    shop,
    ...options,
  });
  const url = `https://shop.example/pay/${harness.capability}`;
  const send = (path = '', init: RequestInit = {}): Promise<Response> =>
    payPage(new Request(`${url}${path}`, { redirect: 'manual', ...init }), { address: '192.0.2.1' });
  const read = async (path = '', language = 'ru'): Promise<string> =>
    (await send(path, { headers: { 'accept-language': language } })).text();
  const submit = (members: Readonly<Record<string, string>>): Promise<Response> =>
    send('', { method: 'POST', headers: { 'accept-language': 'ru' }, body: new URLSearchParams(members) });
  return { harness, calls, payPage, url, send, read, submit };
}

/** The key of the form of a page. */
export const keyIn = (page: string): string => /name="key" value="([^"]+)"/.exec(page)?.[1] ?? assert.fail('no key');
