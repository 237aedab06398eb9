import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { backendCodeOf, backendFiles, type BackendFile } from '../../demo/playground-backend-code.ts';
import { documentOf } from '../docs/documents.ts';
import { listen } from '../mounts/listen.ts';

const codeOf = (name: BackendFile, settings: Readonly<Record<string, string>> = {}): string =>
  backendCodeOf(readFileSync(backendFiles[name], 'utf8'), new Map(Object.entries(settings)));

describe("the playground's code for the backend", () => {
  it('equals the files of the PHP, Python and curl examples when no setting differs from its default', () => {
    for (const name of [
      'PHP: shop.php',
      'PHP: outcomes.php',
      'Python: shop.py',
      'Python: outcomes.py',
      'curl',
    ] as const)
      assert.equal(codeOf(name), readFileSync(backendFiles[name], 'utf8'));
  });

  it('equals, for Node.js, the server of the guide, which test/docs/code-blocks-compile.test.ts compiles', () => {
    const blocks = documentOf('docs/integrating.md').blocks.filter(({ language }) => language === 'ts');
    const code = codeOf('Node.js');
    assert.ok(blocks.some((block) => block.code === code));
    assert.match(code, /createCheckoutServer\([^]*\.create\(/);
  });

  for (const name of ['Node.js', 'PHP: shop.php', 'Python: shop.py', 'curl'] as const)
    it(`contains the amount and the currency of the settings: ${name}`, () => {
      const code = codeOf(name, { amount: '990.50', currency: 'USD' });
      assert.match(code, /990\.50/);
      assert.match(code, /\bUSD\b/);
      assert.doesNotMatch(code, /1500\.00|\bRUB\b/);
    });

  it('creates a checkout when it is run with curl, and fails when the server refuses the request', async (context) => {
    const requests: unknown[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        const { method, url, headers } = request;
        requests.push([method, url, headers.authorization, headers['content-type'], JSON.parse(body)]);
        response.writeHead(requests.length === 1 ? 201 : 401).end('{"id":"chk_1"}');
      });
    });
    const { endpoint, close } = await listen(server, '');
    context.after(close);
    const env = { ...process.env, CHECKOUT_SERVER: endpoint, ADMIN_TOKEN: 'token-of-24-letters-or-more' };
    const runCurl = () => promisify(execFile)('sh', ['-c', codeOf('curl', { amount: '990.50' })], { env });
    assert.equal((await runCurl()).stdout, '{"id":"chk_1"}');
    const order = { order_id: '1001', amount: '990.50', currency: 'RUB', reference: '1001' };
    const expectedRequest = [
      'POST',
      '/admin/checkouts',
      'Bearer token-of-24-letters-or-more',
      'application/json',
      order,
    ];
    assert.deepEqual(requests, [expectedRequest]);
    await assert.rejects(runCurl());
  });
});
