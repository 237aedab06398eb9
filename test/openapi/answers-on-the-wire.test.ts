// The answers of the checkout API of the standalone server, as they come over HTTP, and the document that describes them.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Buyer } from '../support/buyer.ts';
import { checkDocumented } from '../support/documented-answers.ts';
import { startStandalone } from '../support/start-standalone.ts';

const allowedOrigin = 'https://shop.example';
const server = await startStandalone({ ALLOWED_ORIGINS: allowedOrigin });
after(() => server.close());

const buyer = new Buyer(server);
await buyer.order();
const read = `/${buyer.checkoutId}`;
const unknown = '/chk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

const bodies: readonly RequestInit[] = [
  { body: JSON.stringify({ payment_method_id: 'pm_none' }) },
  { body: JSON.stringify({ payment_method_id: 'pm_sbp' }), headers: { 'idempotency-key': 'one' } },
  { body: JSON.stringify({ payment_method_id: 'pm_sbp' }), headers: { 'idempotency-key': 'one' } },
  { body: JSON.stringify({ payment_method_id: 'pm_card' }), headers: { 'idempotency-key': 'one' } },
  { body: JSON.stringify({ payment_method_id: 'pm_card' }), headers: { 'idempotency-key': 'two' } },
  { body: JSON.stringify({ payment_method_id: 'pm_none', replace: true }), headers: { 'idempotency-key': 'three' } },
  { body: 'a'.repeat(20_000), headers: { 'idempotency-key': 'four' } },
  { body: 'a', headers: { 'idempotency-key': 'five', 'content-type': 'text/plain' } },
].map((init) => ({ method: 'POST', ...init, headers: { 'content-type': 'application/json', ...init.headers } }));
const reads: readonly RequestInit[] = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'POST'].map((method) => ({ method }));

test('each answer has the headers of the document, and no others', async () => {
  const statuses = new Set<number>();
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(`${server.url}/checkout${path}`, init);
    await response.arrayBuffer();
    checkDocumented(init.method ?? 'GET', path.replace(/\?.*/, ''), response);
    statuses.add(response.status);
    return response;
  };
  const ifNoneMatch = (await send(read, {})).headers.get('etag') ?? '';
  await send(read, { headers: { 'if-none-match': ifNoneMatch } });
  await send(read, { headers: { 'if-none-match': ifNoneMatch, prefer: 'wait=1' } });
  for (const origin of [undefined, server.url, allowedOrigin, 'https://other.example']) {
    const sendFrom = (path: string, init: RequestInit): Promise<Response> => {
      const headers = new Headers(init.headers);
      if (origin !== undefined) headers.set('origin', origin);
      return send(path, { ...init, headers });
    };
    for (const path of [read, `${read}?check=1`, `${read}?amount=a`, unknown, `${read}/invoice`, `${read}/hook/none`])
      for (const init of reads) await sendFrom(path, init);
    for (const init of bodies) await sendFrom(`${read}/invoice`, init);
  }
  assert.deepEqual(
    [...statuses].toSorted((one, other) => one - other),
    [200, 201, 204, 304, 400, 403, 404, 405, 409, 413, 415, 422],
  );
});
