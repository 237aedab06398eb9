// What the pay page says of the shop, its languages, and the frames that may show it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { keyIn, openPage, shop } from './open-pay-page.ts';

const wholeShop = {
  ...shop,
  url: 'https://leaf.example',
  contact: 'mailto:help@leaf.example',
  legal: 'Leaf & Clay Ltd, 1 Tea Street',
  termsUrl: 'https://leaf.example/terms',
  timeZone: 'Asia/Vladivostok',
  methodLogos: { SBP: 'https://pictures.example/sbp.svg' },
};

test('the footer says who sells and where to ask, on every page; a mail has the order in its subject', async () => {
  const { read, payPage } = await openPage({ reference: 'A & 42' }, { shop: wholeShop });
  const page = await read('', 'en');
  assert.match(page, /<footer>\s*<p>Leaf &amp; Clay Ltd, 1 Tea Street<\/p>/);
  assert.match(page, /href="mailto:help@leaf\.example\?subject=Order%20A%20%26%2042"/);
  assert.match(page, /href="https:\/\/leaf\.example\/terms"/);
  const lost = await payPage(new Request('https://shop.example/pay/lost'), { address: undefined });
  assert.match(await lost.text(), /href="mailto:help@leaf\.example"/);
});

test('a telephone number is shown as it is written, and called without blanks', async () => {
  const { read } = await openPage({}, { shop: { contact: 'tel:8 (800) 555-35-35' } });
  assert.match(
    await read('', 'en'),
    /href="tel:88005553535"><bdi>Contact the shop: <bdi translate="no">8 \(800\) 555-35-35</,
  );
});

test('a link to the page is shown by its shop and nothing of the payment', async () => {
  const { read, harness } = await openPage({}, { shop: wholeShop });
  const [head = ''] = /<head>[^]*<\/head>/.exec(await read('', 'en')) ?? [];
  assert.match(head, /og:title" content="Payment of an order · Leaf &amp; &lt;Clay&gt;"/);
  assert.match(head, /og:image" content="https:\/\/cdn\.example\/logo\.svg"/);
  assert.ok(!head.includes(harness.capability));
  assert.doesNotMatch(head.replace(/<title>.*<\/title>|<style>[^]*<\/style>/g, ''), /1,?500/);
});

test('the language that the payer chooses stays in every link of the page, and in the answer to its form', async () => {
  const { read, send, url } = await openPage();
  const { pathname } = new URL(url);
  const page = await read('?lang=en', 'ru');
  assert.match(page, /<html lang="en"/);
  assert.match(page, new RegExp(`<form\\s+method="post"\\s+action="${pathname}/en"`));
  assert.match(page, /<a href="\?lang=kk"/);
  const body = new URLSearchParams({ key: keyIn(page), payment_method_id: 'pm_sbp' });
  const answer = await send('/en', { method: 'POST', body });
  assert.equal(answer.headers.get('location'), `${pathname}/en`);
  const waiting = await read('/en', 'ru');
  assert.match(waiting, new RegExp(`href="${pathname}/en\\?methods=1"`));
  assert.match(await read('/en?lang=kk', 'ru'), /<html lang="kk"/);
  for (const unknown of ['/xx', '?lang=xx', '?lang=constructor'])
    assert.match(await read(unknown, 'ru'), /<html lang="ru"/);
});

test('the shop’s pictures of methods are beside their names, for the widget too, and allowed by the policy', async () => {
  const { send } = await openPage({}, { shop: wholeShop });
  const response = await send();
  const page = await response.text();
  assert.equal(page.match(/<img class="logo"/g)?.length, 2);
  assert.match(page, /<img class="logo" slot="method-sbp" src="https:\/\/pictures\.example\/sbp\.svg" alt="" \/>/);
  assert.match(response.headers.get('content-security-policy') ?? '', /img-src [^;]*https:\/\/pictures\.example/);
});

test('a page that may be framed has a script of its own, which its policy allows, and which no other page has', async () => {
  const framed = await openPage({}, { frameAncestors: ['https://Site.example:443'] });
  const response = await framed.send();
  const [, script = ''] = /<script type="module">([^]+?)<\/script>/.exec(await response.text()) ?? [];
  assert.match(script, /"https:\/\/site\.example"/);
  const policy = response.headers.get('content-security-policy') ?? '';
  assert.ok(policy.includes(`'sha256-${createHash('sha256').update(script).digest('base64')}'`), policy);
  assert.match(policy, /frame-ancestors https:\/\/site\.example;/);
  assert.doesNotMatch(await (await openPage()).read(), /<script type="module">/);
  await assert.rejects(openPage({}, { frameAncestors: ['https://site.example/path'] }), /frameAncestors/);
});

for (const { state, changes, statuses, contact, query, href } of [
  {
    state: 'failed',
    changes: { reference: 'A & 1' },
    statuses: ['FAILED'],
    contact: 'mailto:help@shop.example',
    query: '',
    href: `mailto:help@shop.example?subject=${encodeURIComponent('Заказ A & 1')}`,
  },
  {
    state: 'expired',
    changes: {},
    statuses: ['EXPIRED'],
    contact: 'tel:+78005553535',
    query: '',
    href: 'tel:+78005553535',
  },
] as const)
  test(`the page without script has the shop’s contact in the screen: ${state}`, async () => {
    const { harness, read, submit } = await openPage(changes, { shop: { contact } });
    await submit({ key: 'k', payment_method_id: 'pm_card' });
    for (const invoice of harness.service.invoices.values()) invoice.status = statuses[0];
    await harness.until(harness.server.check(harness.id));
    const [screen = ''] = /<div slot="markup"[^]*?<script type="application\/json">/.exec(await read(query)) ?? [];
    assert.ok(screen.includes(`href="${href}"`), screen);
  });

test('a paid order’s page has its receipt: the number of the payment, and the time in the shop’s zone; no contact in its screen', async () => {
  const contact = 'tel:+78005553535';
  const shopInMoscow = { contact, timeZone: 'Europe/Moscow' };
  const { harness, read, submit } = await openPage({}, { shop: shopInMoscow });
  await submit({ key: 'k', payment_method_id: 'pm_card' });
  for (const invoice of harness.service.invoices.values()) invoice.status = 'PAID';
  await harness.until(harness.server.check(harness.id));
  const [screen = ''] = /<div slot="markup"[^]*?<script type="application\/json">/.exec(await read()) ?? [];
  const [id = ''] = harness.service.invoices.keys();
  assert.match(screen, new RegExp(`Номер платежа</dt>\\s*<dd><bdi translate="no">${id}<`));
  assert.match(screen, /\d\d:\d\d МСК</);
  assert.match(await read('', 'ru-RU'), /\d\d:\d\d МСК</);
  assert.ok(!screen.includes(contact), screen);
  assert.match(await read('', 'en'), /[AP]M GMT\+3</);
});

test('a payment that is not found, and a page that cannot be shown now, have the shop’s contact beside their text', async () => {
  const { payPage, url } = await openPage({}, { shop: { contact: 'tel:+78005553535' } });
  const response = await payPage(new Request(url.replace(/....$/, 'aaaa')), { address: undefined });
  const [main = ''] = /<main>[^]*<\/main>/.exec(await response.text()) ?? [];
  assert.match(main, /href="tel:\+78005553535"/);
});

test('paper has no button, whatever other rules say of it', async () => {
  const page = await (await openPage()).read();
  assert.match(page, /@media print\{[^@]*\.actions[^{]*\{display:none!important\}/);
});
