import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { createWidgetHandler, requireWidget, WidgetMissingError } from '../../src/standalone/widget-files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const content = `export const text = ${JSON.stringify('pay '.repeat(500))};`;
for (const name of ['pay-invoice.js', 'pay-invoice.qr-encoder-DIxTYg-G.js', 'pay-invoice.js.map', 'licenses.md'])
  writeFileSync(join(folder, name), content);

const handle = createWidgetHandler(folder);
const get = async (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  handle(new Request(`http://shop.example${path}`, { headers }));

const decoders = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (bytes: Buffer) => bytes,
};

for (const [acceptEncoding, encoding] of [
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip;q=1.0, br;q=0', 'gzip'],
  ['GZIP', 'gzip'],
  ['deflate', 'identity'],
  ['', 'identity'],
] as const)
  test(`the widget is sent as ${encoding} when the request has Accept-Encoding “${acceptEncoding}”`, async () => {
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const response = await get('/pay-invoice.js', { 'accept-encoding': acceptEncoding });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-encoding') ?? 'identity', encoding);
      assert.equal(response.headers.get('vary'), 'accept-encoding');
      assert.equal(response.headers.get('content-type'), 'text/javascript; charset=utf-8');
      assert.equal(response.headers.get('access-control-allow-origin'), '*');
      const bytes = Buffer.from(await response.arrayBuffer());
      assert.equal(decoders[encoding](bytes).toString(), content);
      if (encoding !== 'identity') assert.ok(bytes.length < content.length / 5, String(bytes.length));
    }
  });

test('a file with a hash in its name may be cached for a year, and the entry file, whose name has no hash, must be revalidated', async () => {
  const readCacheControl = async (name: string) => (await get(`/${name}`)).headers.get('cache-control');
  assert.equal(await readCacheControl('pay-invoice.qr-encoder-DIxTYg-G.js'), 'public, max-age=31536000, immutable');
  assert.equal(await readCacheControl('pay-invoice.js'), 'no-cache');
});

test('a request with the ETag of the widget is answered with 304', async () => {
  const etag = (await get('/pay-invoice.js', { 'accept-encoding': 'br' })).headers.get('etag') ?? '';
  const response = await get('/pay-invoice.js', { 'if-none-match': `"other", ${etag}`, 'accept-encoding': 'br' });
  assert.equal(response.status, 304);
  assert.equal(await response.text(), '');
  assert.equal((await get('/pay-invoice.js', { 'if-none-match': '"other"' })).status, 200);
});

for (const path of [
  '/pay-invoice.js.map',
  '/licenses.md',
  '/pay-invoice.none.js',
  '/pay-invoice..%2F..%2Fpackage.js',
  '/',
])
  test(`a request for ${path}, which is not a file of the widget, is answered with 404`, async () => {
    assert.equal((await get(path)).status, 404);
  });

for (const [description, path] of [
  ['a folder that is missing', join(folder, 'missing')],
  ['a folder without the widget', mkdtempSync(join(folder, 'empty-'))],
] as const)
  test(`requireWidget refuses ${description} with one line that says what to do`, () => {
    assert.throws(
      () => requireWidget(path),
      new WidgetMissingError(`${path} has no pay-invoice.js: install the package again, or run npm run build`),
    );
  });
