import assert from 'node:assert/strict';
import { it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { render } from '@lit-labs/ssr';
import { collectResult } from '@lit-labs/ssr/lib/render-result.js';
import type { Checkout } from '../../src/protocol.ts';
import { payInvoiceTemplate } from '../../src/ssr.ts';
import { drawQr } from '../../src/view/qr/qr-drawing.ts';
import { card, ended, links, open, pending, sbp, transfer } from '../../demo/gallery-checkouts.ts';

/** The most that the page of a waiting invoice may have in gzip. */
const budgetBytes = 12_000;

const tag = async (initial: Checkout, touch = false): Promise<string> =>
  collectResult(render(await payInvoiceTemplate({ initial, lang: 'ru', touch })));

/** An invoice that can be paid in every way at once. */
const waiting = pending({ ...sbp, ...card, ...transfer, ...links });

const count = (text: string, part: string): number => text.split(part).length - 1;

it(`a waiting invoice, with its QR and all its requisites, takes at most ${budgetBytes} bytes in gzip`, async () => {
  const page = `<!doctype html><html lang="ru"><meta charset="utf-8"><title>Shop</title><body>${await tag(waiting)}`;
  assert.ok(gzipSync(page).length <= budgetBytes, `${gzipSync(page).length} bytes`);
});

it('the styles are in the markup once', async () => {
  const markup = await tag(waiting);
  assert.equal(count(markup, '<style'), 1);
  assert.equal(count(markup, '.paper,'), 1);
});

it('the server draws the QR of the link, with its quiet zone', async () => {
  const { path, size } = drawQr(links.nspk_url);
  const markup = await tag(waiting);
  assert.equal(count(markup, `d="${path}"`), 1);
  assert.ok(markup.includes(`viewBox="-4 -4 ${size + 8} ${size + 8}"`));
});

it('the time left is the one that the checkout had when it was read', async () => {
  assert.match(await tag(waiting), /role="timer"[^>]*>(?:<!--[^>]*-->)?14:32</);
});

it('the selected method alone is marked', async () => {
  const radios = (await tag(open)).match(/<input[^>]*type="radio"[^>]*>/g) ?? [];
  assert.deepEqual(
    radios.map((radio) => /\schecked/.test(radio)),
    [true, false, false, false],
  );
});

it('on a phone the link to the bank’s app comes before the QR', async () => {
  const before = (markup: string): boolean => markup.indexOf('part="qr-link"') < markup.indexOf('part="qr"');
  assert.equal(before(await tag(waiting, true)), true);
  assert.equal(before(await tag(waiting)), false);
});

it('rendering leaves no timer on the server', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const timersBefore = timers();
  await tag(waiting);
  assert.equal(timers(), timersBefore);
});

for (const status of ['paid', 'failed', 'expired'] as const)
  it(`${status} is rendered too`, async () => {
    assert.match(await tag(ended(status)), /part="outcome"/);
  });
