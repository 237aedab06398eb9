import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { z } from 'zod';
import { createSandbox } from '../../src/tools/sandbox/create-sandbox.ts';
import { idOf, read, serviceRequest, type Json } from './test-sandbox.ts';

async function listen(t: TestContext, fault?: Json): Promise<string> {
  const sandbox = createSandbox({ token: 'test-token', qrGenerationMs: 1 });
  t.after(() => sandbox.close());
  const { url } = await sandbox.listen({ port: 0, host: '127.0.0.1' });
  if (fault !== undefined) {
    const response = await fetch(`${url}/sandbox/faults`, { method: 'PUT', body: JSON.stringify(fault) });
    assert.equal(response.status, 200);
  }
  return url;
}

async function countInvoices(url: string): Promise<number> {
  return (await (await fetch(`${url}/sandbox/invoices`)).text()).split('"created_at"').length - 1;
}

const createRequest = (url: string): Request => serviceRequest('CreateInvoice', { amount: '1500.00' }, {}, url);

/** Returns the system error code in the cause of an error of `fetch`. */
function getErrorCode(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}

describe('the HTTP server of the sandbox', () => {
  it('answers several operations, with links to the address at which it listens', async (t) => {
    const url = await listen(t);
    for (let round = 0; round < 3; round += 1) {
      const { status, json } = await read(await fetch(createRequest(url)));
      assert.equal(status, 200);
      assert.equal(json['payment_url'], `${url}/pay/${idOf(json)}`);
    }
    assert.equal(await countInvoices(url), 3);
  });

  for (const { kind, createdCount } of [
    { kind: 'reset', createdCount: 0 },
    { kind: 'lost', createdCount: 1 },
  ])
    it(`resets the connection with the fault ${kind}, ${createdCount === 0 ? 'before' : 'after'} the invoice is created`, async (t) => {
      const url = await listen(t, { operation: 'CreateInvoice', kind, times: 1 });
      await assert.rejects(fetch(createRequest(url)), (error: unknown) => {
        assert.match(String(getErrorCode(error)), /^(ECONNRESET|UND_ERR_SOCKET)$/);
        return true;
      });
      assert.equal(await countInvoices(url), createdCount);
      assert.equal((await fetch(createRequest(url))).status, 200);
    });

  it('ends the connection in the middle of the body with the fault truncate', async (t) => {
    const url = await listen(t, { kind: 'truncate', times: 1 });
    const response = await fetch(createRequest(url));
    assert.equal(response.status, 200);
    await assert.rejects(response.text(), TypeError);
    assert.equal(await countInvoices(url), 1);
  });

  it('sends nothing with the fault stall at the headers before the caller aborts', async (t) => {
    const url = await listen(t, { kind: 'stall', at: 'headers', times: 1 });
    const request = new Request(createRequest(url), { signal: AbortSignal.timeout(300) });
    await assert.rejects(fetch(request), { name: 'TimeoutError' });
  });

  it('answers 413 to a body that is too large, although it is still being sent', async (t) => {
    const url = await listen(t);
    const { status } = await fetch(serviceRequest('CreateInvoice', 'x'.repeat(5 * 2 ** 20), {}, url));
    assert.equal(status, 413);
  });

  it('§4 answers 405 to TRACE, a method that fetch does not allow', async (t) => {
    const url = await listen(t);
    const request = httpRequest(`${url}/api/public/invoice.v1.PubInvoiceService/CreateInvoice`, {
      method: 'TRACE',
    }).end();
    const [response] = z.tuple([z.looseObject({ statusCode: z.number() })]).parse(await once(request, 'response'));
    assert.equal(response.statusCode, 405);
  });

  for (const { rule, text } of [
    { rule: 'a text that is not HTTP', text: 'hello\r\n\r\n' },
    { rule: 'an invalid Host', text: 'GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n' },
    { rule: 'an invalid request target', text: 'GET http:// HTTP/1.1\r\nHost: a\r\n\r\n' },
  ])
    it(`answers 400 to ${rule}, and still answers other requests`, async (t) => {
      const url = await listen(t);
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
        .setEncoding('utf8')
        .end(text);
      const [response] = z.tuple([z.string()]).parse(await once(socket, 'data'));
      assert.match(response, /^HTTP\/1\.1 400 /);
      assert.equal((await fetch(`${url}/healthz`)).status, 200);
    });

  it('ends stalled responses and stops listening when the sandbox is closed', async () => {
    const sandbox = createSandbox({ token: 'test-token' });
    const { url } = await sandbox.listen({ port: 0, host: '127.0.0.1' });
    await fetch(`${url}/sandbox/faults`, { method: 'PUT', body: JSON.stringify({ kind: 'stall' }) });
    const stalledRead = assert.rejects((await fetch(createRequest(url))).text());
    await sandbox.close();
    await stalledRead;
    await assert.rejects(fetch(`${url}/healthz`));
  });

  it('§2.1 sends links to the public address, or to the address of the request when it listens on 0.0.0.0', async () => {
    for (const publicUrl of ['https://pay.example/', undefined]) {
      const sandbox = createSandbox({ token: 'test-token', publicUrl });
      const { url } = await sandbox.listen({ port: 0, host: '0.0.0.0' });
      const reachableUrl = url.replace('0.0.0.0', '127.0.0.1');
      const { text } = await read(await fetch(createRequest(reachableUrl)));
      assert.ok(text.includes(`"payment_url":"${publicUrl ?? `${reachableUrl}/`}pay/inv_`), text);
      await sandbox.close();
    }
  });
});
