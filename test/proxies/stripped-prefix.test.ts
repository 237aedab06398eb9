// The standalone server behind an nginx that serves it under a path, and removes the path: PUBLIC_URL=https://shop/payments.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { findFreePort } from '../example-shops/example-shop.ts';
import { adminToken } from '../support/buyer.ts';
import { startStandalone } from '../support/start-standalone.ts';
import { until } from '../support/wait-until.ts';
import { nginxFile, skipWithout, startProxy } from './start-proxy.ts';

const prefix = '/payments';
/** As the documents say it. */
const location = /```nginx\n(location [^`]*)```/.exec(readFileSync('docs/operations.md', 'utf8'))?.[1] ?? assert.fail();

/** Every address in a page: of links, forms, scripts, the widget, and of the refresh. */
function addressesIn(page: string, pageUrl: string): readonly URL[] {
  const attributes = [...page.matchAll(/ (?:href|src|action|endpoint|phone-url)="([^"]*)"/g)].map(([, value]) => value);
  const refreshes = [...page.matchAll(/http-equiv="refresh" content="[^"]*url=([^"]*)"/g)].map(([, value]) => value);
  return [...attributes, ...refreshes].map((value = '') => new URL(value.replaceAll('&amp;', '&'), pageUrl));
}

test(
  'each address that a page says is under the public one, and leads to something',
  { skip: skipWithout('nginx') },
  async (t) => {
    const [port, ownPort] = [await findFreePort(), await findFreePort()];
    const publicUrl = `http://127.0.0.1:${port}${prefix}`;
    const server = await startStandalone({
      PORT: ownPort,
      OUTCOME_FEED: '1',
      PUBLIC_URL: publicUrl,
      TRUST_PROXY: '1',
    });
    t.after(() => server.close());
    await startProxy(t, 'nginx', port, (folder) =>
      nginxFile(
        folder,
        `server { listen 127.0.0.1:${port}; ${location.replace('127.0.0.1:8080', `127.0.0.1:${ownPort}`)} }`,
      ),
    );

    /** Reads a page as a browser without a script does, and checks its addresses. */
    const read = async (
      url: string | URL,
      init?: RequestInit,
    ): Promise<{ readonly url: string; readonly page: string }> => {
      const response = await fetch(url, init);
      assert.ok(response.url.startsWith(publicUrl), `${String(url)} leads to ${response.url}`);
      const page = await response.text();
      for (const address of addressesIn(page, response.url)) {
        if (address.origin !== new URL(publicUrl).origin) continue;
        assert.ok(address.pathname.startsWith(`${prefix}/`), `${response.url} says ${address.href}`);
        const isEndpoint = address.pathname === `${prefix}/checkout`;
        const target = isEndpoint ? `${address.href}/${/chk_[\w-]+/.exec(response.url)?.[0] ?? ''}` : address;
        const { status } = await fetch(target);
        assert.equal(status, 200, `${response.url} says ${address.href}`);
      }
      return { url: response.url, page };
    };
    /** Sends the first form of a page. */
    const submit = (
      from: { readonly url: string; readonly page: string },
      members: Readonly<Record<string, string>> = {},
    ) => {
      const action = / action="([^"]*)"/.exec(from.page)?.[1] ?? assert.fail('no form');
      const body = new URLSearchParams(members);
      for (const [, name = '', value = ''] of from.page.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g))
        body.set(name, value);
      return read(new URL(action, from.url), { method: 'POST', body });
    };

    const first = await read(`${publicUrl}/`);
    const methods = await submit(first);
    assert.match(methods.page, /name="payment_method_id"/);
    await submit(methods, { payment_method_id: 'pm_none' });
    const waiting = await submit(methods, { payment_method_id: 'pm_sbp' });
    const status = / src="([^"]*\?status=pending)"/.exec(waiting.page)?.[1] ?? assert.fail(waiting.page);
    assert.match((await read(new URL(status, waiting.url))).page, /http-equiv="refresh"/);
    for (const query of ['?methods=1', '?check=1']) await read(`${waiting.url}${query}`);
    const invoice = / href="([^"]*\/pay\/inv_[^"]*)"/.exec(waiting.page)?.[1] ?? assert.fail(waiting.page);
    await fetch(invoice, { method: 'POST', body: new URLSearchParams({ action: 'pay' }) });
    await until(
      'the payment is known',
      async () => (await read(waiting.url)).page.includes('class="mark paid"'),
      15_000,
    );
    await read(`${waiting.url.slice(0, -4)}aaaa`);
    await read(`${publicUrl}/admin/`, { headers: { authorization: `Bearer ${adminToken}` } });
  },
);
