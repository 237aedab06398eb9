import assert from 'node:assert/strict';
import { it } from 'node:test';
import { connectShop } from '../../demo/shop-client.ts';
import { text } from '../../demo/page-texts.ts';

const playMoney = /sandbox|песочниц|No money moves|не списываются|test mode|тестовом режиме/;

for (const [name, config, lead, isPlay] of [
  ['beside a sandbox', { sandbox: 'http://127.0.0.1:1', test: true }, 'lead', true],
  ['with a real service in TEST', { sandbox: null, test: true }, 'leadTest', true],
  ['with a real service in LIVE', { sandbox: null, test: false }, 'leadLive', false],
] as const)
  it(`the demo shop says whether money moves: ${name}`, async (t) => {
    t.mock.method(globalThis, 'fetch', (path: string) =>
      Promise.resolve(Response.json(path === '/config.json' ? config : { products: [] })),
    );
    const shop = await connectShop();
    assert.equal(shop.lead, lead);
    for (const language of ['en', 'ru'] as const)
      assert.equal(playMoney.test(text(shop.lead, {}, language)), isPlay, text(shop.lead, {}, language));
    assert.equal(shop.control === null, config.sandbox === null);
  });
