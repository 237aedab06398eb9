import assert from 'node:assert/strict';
import { it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { render } from '@lit-labs/ssr';
import { collectResult } from '@lit-labs/ssr/lib/render-result.js';
import type { Checkout } from '../../src/checkout-api.ts';
import { payInvoiceTemplate } from '../../src/ssr.ts';
import { drawQr } from '../../src/base/qr-modules.ts';
import { encodeQr } from '../../src/view/qr-encoder.ts';
import {
  card,
  makeEndedCheckout,
  links,
  checkoutWithoutInvoice,
  makePendingCheckout,
  sbp,
  transfer,
} from '../../demo/gallery-checkouts.ts';

/** The most that the page of a waiting invoice may have in gzip. */
const budgetBytes = 12_000;

const renderTag = async (initial: Checkout, touch = false): Promise<string> =>
  collectResult(render(await payInvoiceTemplate({ initial, lang: 'ru', touch })));

/** An invoice that can be paid in every way at once. */
const waiting = makePendingCheckout({ ...sbp, ...card, ...transfer, ...links });

const count = (text: string, part: string): number => text.split(part).length - 1;

it(`a waiting invoice, with its QR and all its requisites, takes at most ${budgetBytes} bytes in gzip`, async () => {
  const page = `<!doctype html><html lang="ru"><meta charset="utf-8"><title>Shop</title><body>${await renderTag(waiting)}`;
  assert.ok(gzipSync(page).length <= budgetBytes, `${gzipSync(page).length} bytes`);
});

it('the server’s markup contains the styles once', async () => {
  const markup = await renderTag(waiting);
  assert.equal(count(markup, '<style'), 1);
  assert.equal(count(markup, '.paper,'), 1);
});

it('the server’s markup contains the QR of the link, with its quiet zone', async () => {
  const image = drawQr(encodeQr(links.nspk_url));
  assert.ok(image);
  const { path, size } = image;
  const markup = await renderTag(waiting);
  assert.equal(count(markup, `d="${path}"`), 1);
  assert.ok(markup.includes(`viewBox="-4 -4 ${size + 8} ${size + 8}"`));
});

it('the server’s markup shows the time left that the checkout had when it was read', async () => {
  assert.match(await renderTag(waiting), /role="timer"[^>]*>(?:<!--[^>]*-->)?14:32</);
});

it('only the radio button of the selected method is checked in the server’s markup', async () => {
  const radios = (await renderTag(checkoutWithoutInvoice)).match(/<input[^>]*type="radio"[^>]*>/g) ?? [];
  assert.deepEqual(
    radios.map((radio) => /\schecked/.test(radio)),
    [true, false, false, false],
  );
});

it('the link to the bank’s app comes before the QR on a phone, and after it elsewhere', async () => {
  const isLinkFirst = (markup: string): boolean => markup.indexOf('part="qr-link"') < markup.indexOf('part="qr"');
  assert.equal(isLinkFirst(await renderTag(waiting, true)), true);
  assert.equal(isLinkFirst(await renderTag(waiting)), false);
});

it('rendering on the server leaves no timer behind', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const timersBefore = timers();
  await renderTag(waiting);
  assert.equal(timers(), timersBefore);
});

for (const status of ['paid', 'failed', 'expired'] as const)
  it(`the server’s markup of a checkout that is ${status} shows the outcome`, async () => {
    assert.match(await renderTag(makeEndedCheckout(status)), /part="outcome"/);
  });
