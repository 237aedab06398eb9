// The picture that a messenger shows beside a link to the pay page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PNG } from 'pngjs';
import type { PayPageOptions } from '../../src/standalone.ts';
import { openPage } from './open-pay-page.ts';

const pictureOf = (page: string): string | undefined => /property="og:image" content="([^"]*)"/.exec(page)?.[1];
const card = 'https://shop.example/pay/card.png';

for (const [what, logoUrl, expected] of [
  ['a logo of https: is that picture', 'https://cdn.example/logo.png', 'https://cdn.example/logo.png'],
  ['so is a logo of the same site, by its whole address', '/files/logo.png', 'https://shop.example/files/logo.png'],
  ['a logo that messengers do not show is not', 'https://cdn.example/logo.SVG?v=2', card],
  ['nor one that only this machine can load', 'http://127.0.0.1/logo.png', card],
  ['without a logo it is the drawn card', undefined, card],
] as const)
  test(what, async () => {
    const { read } = await openPage({}, { shop: { logoUrl } });
    assert.equal(pictureOf(await read()), expected);
  });

test('a page where there is no checkout has the same picture', async () => {
  const { payPage } = await openPage({}, { shop: {} });
  const lost = await payPage(new Request('https://shop.example/pay/lost'), { address: undefined });
  assert.equal(pictureOf(await lost.text()), card);
});

async function openCard(options: Partial<PayPageOptions> = {}) {
  const { payPage, calls } = await openPage({}, options);
  const ask = (init: RequestInit = {}, address = card): Promise<Response> =>
    payPage(new Request(address, init), { address: '192.0.2.1' });
  const draw = async (): Promise<PNG> => PNG.sync.read(Buffer.from(await (await ask()).arrayBuffer()));
  return { ask, draw, calls };
}

const pixel = ({ data, width }: PNG, x: number, y: number): string =>
  `#${data.subarray((y * width + x) * 4, (y * width + x) * 4 + 3).toString('hex')}`;

for (const [accent, paper] of [
  ['#0f766e', '#ffffff'],
  ['#ffcc00', '#000000'],
] as const)
  test(`the card has the measures that messengers ask for, and the colours of ${accent}`, async () => {
    const { draw } = await openCard({ accent });
    const png = await draw();
    assert.deepEqual([png.width, png.height], [1200, 630]);
    assert.deepEqual([pixel(png, 200, 20), pixel(png, 600, 80)], [accent, paper]);
  });

test('the card is one file for all checkouts, at any path, which no checkout is asked for', async () => {
  const { ask, calls } = await openCard();
  const response = await ask({}, 'https://proxy.internal/shop/pay/card.png?v=1');
  assert.equal(response.headers.get('content-type'), 'image/png');
  assert.match(response.headers.get('cache-control') ?? '', /public, max-age=\d+/);
  assert.ok((await response.arrayBuffer()).byteLength < 16_000);
  assert.deepEqual(calls, []);
});

test('the card is sent once: who has it is told that it is the same, until the colour changes', async () => {
  const { ask } = await openCard();
  const etag = (await ask({ method: 'HEAD' })).headers.get('etag') ?? '';
  const same = await ask({ headers: { 'if-none-match': `W/"old", ${etag}` } });
  assert.deepEqual([same.status, await same.text()], [304, '']);
  const other = await (await openCard({ accent: '#0f766e' })).ask({ headers: { 'if-none-match': etag } });
  assert.equal(other.status, 200);
});
