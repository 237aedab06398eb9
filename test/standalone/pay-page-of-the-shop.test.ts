// What the pay page says of the shop, its languages, and the frames that may show it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import {
  checkoutWithoutInvoice,
  closedCheckout,
  links,
  makeEndedCheckout,
  makePendingCheckout,
  paidWithOtherAmount,
  sbp,
} from '../../demo/gallery-checkouts.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import { en } from '../../src/locales/en.ts';
import { kk } from '../../src/locales/kk.ts';
import { ru } from '../../src/locales/ru.ts';
import { createPayPage } from '../../src/standalone.ts';
import { universalQrTexts } from '../../src/standalone/pay-page/universal-qr-texts.ts';
import { endpoint } from '../support/test-checkout-server.ts';
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
  assert.match(page, /<footer>\s*<p class="seller" translate="no">Leaf &amp; Clay Ltd, 1 Tea Street<\/p>/);
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
  assert.match(head, /og:image" content="https:\/\/shop\.example\/pay\/card\.png"/);
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
  assert.equal(page.match(/<i class="logo-sbp"/g)?.length, 2);
  assert.match(page, /<i class="logo-sbp"\s+slot="method-sbp"><\/i>/);
  // A background that cannot be loaded leaves no mark, as an image would.
  assert.match(page, /\.logo-sbp\{[^}]*background:url\("https:\/\/pictures\.example\/sbp\.svg"\)/);
  assert.doesNotMatch(page, /<img[^>]*pictures\.example/);
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
  // WebKit does not know 'self' in a sandbox without an origin.
  const { origin } = new URL(framed.url);
  for (const name of ['script-src', 'connect-src', 'form-action', 'frame-src'])
    assert.ok(policy.includes(`${name} 'self' ${origin}`), policy);
  assert.doesNotMatch(await (await openPage()).read(), /<script type="module">/);
  await assert.rejects(openPage({}, { frameAncestors: ['https://site.example/path'] }), /frameAncestors/);
});

const contact = 'mailto:help@shop.example';
const { options } = checkoutWithoutInvoice;
for (const [state, hasContact, checkout, query = ''] of [
  ['the methods', false, checkoutWithoutInvoice],
  ['a create that was refused', true, checkoutWithoutInvoice, '?problem=try_again'],
  ['no methods', true, { ...checkoutWithoutInvoice, options: [] }],
  ['no method for the amount', true, { ...checkoutWithoutInvoice, amount: '1.00' }],
  ['an invoice that is being created', true, { ...checkoutWithoutInvoice, status: 'pending' }],
  ['an invoice', false, makePendingCheckout({ ...sbp, ...links })],
  ['the methods beside an invoice', false, makePendingCheckout(sbp, { options }), '?methods=1'],
  ['a service that is late', true, makePendingCheckout(sbp, { stale: true })],
  ['the time is up', true, makePendingCheckout({ ...sbp, expires_in_ms: 0 })],
  ['another amount', true, { ...paidWithOtherAmount, status: 'pending' }],
  ['paid', false, makeEndedCheckout('paid')],
  ['failed', true, makeEndedCheckout('failed')],
  ['expired', true, makeEndedCheckout('expired')],
  ['closed', true, closedCheckout],
] as const satisfies readonly (readonly [string, boolean, Checkout, string?])[])
  test(`the page without script has ${hasContact ? 'the' : 'no'} contact in its screen: ${state}`, async () => {
    const view = () => Promise.resolve({ checkout: { ...checkout, reference: 'A & 1' } });
    const handle = () => Promise.reject(new Error('is not called'));
    const payPage = createPayPage({ checkouts: { view, handle }, endpoint, shop: { contact } });
    const url = `https://shop.example/pay/chk_${'a'.repeat(22)}${query}`;
    const page = await (await payPage(new Request(url), { address: undefined })).text();
    const [screen = ''] = /<div slot="markup"[^]*?<script type="application\/json">/.exec(page) ?? [];
    assert.equal(screen.includes(`href="${contact}?subject=Order%20A%20%26%201"`), hasContact, screen);
  });

for (const [state, checkout, title] of [
  ['another amount has come', { ...paidWithOtherAmount, status: 'pending' }, /another amount|other amount/i],
  ['the time is up', makePendingCheckout({ ...sbp, expires_in_ms: 0 }), /Time is up/],
] as const satisfies readonly (readonly [string, Checkout, RegExp])[])
  test(`while ${state}, the page without script asks for no money and has the order’s number, and its status is asked for again`, async () => {
    const view = () => Promise.resolve({ checkout: { ...checkout, reference: 'A-1', description: null } });
    const handle = () => Promise.reject(new Error('is not called'));
    const payPage = createPayPage({ checkouts: { view, handle }, endpoint });
    const url = `https://shop.example/pay/chk_${'a'.repeat(22)}/en`;
    const read = async (query: string) => (await payPage(new Request(`${url}${query}`), { address: undefined })).text();
    const [screen = ''] = /<div slot="markup"[^]*?<script type="application\/json">/.exec(await read('')) ?? [];
    assert.match(screen, title);
    assert.doesNotMatch(screen, /To pay/);
    assert.equal(screen.split('A-1').length, 2, screen);
    const status = await read('?status=pending');
    assert.match(status, title);
    assert.match(status, /http-equiv="refresh"/);
    // The page that shows it follows it, too: there it is no news.
    const [, own = ''] = / src="[^"]*(\?status=[\w-]+)"/.exec(screen) ?? [];
    assert.doesNotMatch(await read(own), /<a /);
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

test('a paid order’s page has the way back before the numbers, so that the widget, which takes its place, moves no button', async () => {
  const { harness, read, submit } = await openPage({ successUrl: 'https://shop.example/thanks' });
  await submit({ key: 'k', payment_method_id: 'pm_card' });
  for (const invoice of harness.service.invoices.values()) invoice.status = 'PAID';
  await harness.until(harness.server.check(harness.id));
  assert.match(
    await read(),
    /Деньги получены[^]*<a class="main" href="https:\/\/shop.example\/thanks"[^]*Номер платежа/,
  );
});

test('a receipt names who sells, without script and below that of the widget', async () => {
  const { harness, read, submit } = await openPage({}, { shop: { legal: 'Leaf & Clay Ltd' } });
  await submit({ key: 'k', payment_method_id: 'pm_card' });
  for (const invoice of harness.service.invoices.values()) invoice.status = 'PAID';
  await harness.until(harness.server.check(harness.id));
  const page = await read('', 'en');
  assert.match(
    page,
    /<dl slot="receipt"><div>\s*<dt>Seller<\/dt>\s*<dd><bdi translate="no">Leaf &amp; Clay Ltd<\/bdi><\/dd>/,
  );
  assert.match(page, /<dt>Seller<\/dt>\s*<dd><bdi translate="no">Leaf &amp; Clay Ltd<\/bdi><\/dd>\s*<\/div>\s*<\/dl>/);
});

test('a page that is paid says so once, and once who sells; its title has a tick', async () => {
  const { harness, read, submit } = await openPage({ currency: 'RUB' }, { shop: { legal: 'Leaf Ltd' } });
  await submit({ key: 'k', payment_method_id: 'pm_card' });
  for (const invoice of harness.service.invoices.values()) invoice.status = 'PAID';
  await harness.until(harness.server.check(harness.id));
  const page = await read('', 'ru');
  assert.match(page, /<title>✓ Оплачено · [^<]+<\/title>/);
  // The widget would put the same before the title.
  assert.doesNotMatch(page, /page-title/);
  const [screen = ''] = /<div slot="markup"[^]*?<script type="application\/json">/.exec(page) ?? [];
  assert.deepEqual(screen.match(/Оплачено|Деньги получены/g), ['Оплачено', 'Деньги получены']);
  const [footer = 'none'] = /<footer>[^]*<\/footer>/.exec(page) ?? [];
  assert.doesNotMatch(footer, /Leaf Ltd/);
});

test('the rule of a transfer says until when, in the shop’s zone', async () => {
  const { read, submit } = await openPage({}, { shop: { timeZone: 'Europe/Moscow' } });
  await submit({ key: 'k', payment_method_id: 'pm_card' });
  assert.match(await read(), /одним переводом, до.<bdi translate="no">\d\d:\d\d МСК<\/bdi>/);
});

test('that a transfer is a test is said before its rules, as in the widget', async () => {
  const { read, submit } = await openPage({}, {}, { mode: 'TEST' });
  await submit({ key: 'k', payment_method_id: 'pm_card' });
  const [beforeNotice = '', afterNotice = ''] = (await read()).split('Это тест:');
  const rule = /одним переводом/g;
  assert.equal(beforeNotice.match(rule), null);
  assert.equal(afterNotice.match(rule)?.length, 2); // with and without a script
});

for (const [language, catalogue] of [
  ['ru', ru],
  ['en', en],
  ['kk', kk],
] as const)
  test(`where the service’s links are universal payment codes, no text of the page or of its widget says SBP: ${language}`, async () => {
    const link = `https://qr.nspk.ru/AD${'1A2B3C4D'.repeat(4)}?type=02&bank=100000000111&sum=150000&cur=RUB&crc=ABCD`;
    const textsOf = async (universalQr: boolean): Promise<string> => {
      const { harness, read, submit, send } = await openPage({ methods: ['pm_sbp'] }, { universalQr });
      const methods = await read('', language);
      harness.service.invoiceChanges = { nspk_url: link };
      await submit({ key: 'k', payment_method_id: 'pm_sbp' });
      const waiting = await read('', language);
      const policy = (await send()).headers.get('content-security-policy') ?? '';
      const [, script = ''] = /<script type="module">([^]+?)<\/script>/.exec(waiting) ?? [];
      assert.equal(script !== '', universalQr);
      if (universalQr) assert.ok(policy.includes(createHash('sha256').update(script).digest('base64')), policy);
      const bodies = [methods, waiting].map((page) => page.replaceAll(/<(script|style)[^]*?<\/\1>/g, ''));
      return bodies.join('').replaceAll(/<[^<>]*>/g, '');
    };
    assert.match(await textsOf(false), /СБП|SBP/);
    assert.doesNotMatch(await textsOf(true), /СБП|SBP/);
    const named = Object.entries(catalogue).flatMap(([key, text]) =>
      /СБП|SBP/.test(JSON.stringify(text)) ? [key] : [],
    );
    assert.deepEqual(Object.keys(universalQrTexts[language]).sort(), named.sort());
    const others: readonly unknown[] = Object.values(catalogue);
    for (const text of Object.values(universalQrTexts[language]))
      assert.ok(!others.includes(text), `two links or titles of one screen say “${JSON.stringify(text)}”`);
  });

test('the links of banks are in the page for phones, by the payment’s link, and go to the widget; without them nothing of them is', async () => {
  const nspkUrl = `https://qr.nspk.ru/AD${'1A2B3C4D'.repeat(4)}?type=02&bank=100000000111&sum=150000&cur=RUB&crc=ABCD`;
  const readWaiting = async (bankLinks?: Record<string, string>): Promise<string> => {
    const { harness, read, submit } = await openPage({}, { shop: { ...shop, bankLinks } });
    harness.service.invoiceChanges = { nspk_url: nspkUrl };
    await submit({ key: keyIn(await read()), payment_method_id: 'pm_sbp' });
    return read();
  };
  const page = await readWaiting({ 'One & </script>': 'bank1://{path}', Other: 'https://bank.example/?u={link}' });
  const [, tiles = ''] = /<div class="actions touch field">([^]*?)<\/div>/.exec(page) ?? [];
  assert.match(tiles, /Или выберите свой банк/);
  assert.deepEqual(
    [...tiles.matchAll(/href="([^"]+)"[^>]*><bdi>([^<]+)</g)].map(([, href, name]) => [href, name]),
    [
      [nspkUrl.replace('https', 'bank1').replaceAll('&', '&amp;'), 'One &amp; &lt;/script&gt;'],
      [`https://bank.example/?u=${encodeURIComponent(nspkUrl)}`, 'Other'],
    ],
  );
  const [, script = ''] = /<script type="module">([^]*?)<\/script>/.exec(page) ?? [];
  assert.match(
    script,
    /^Object\.assign\(document\.querySelector\('pay-invoice'\)\?\?\{\},\{bankLinks:\{"One & \\u003c\/script>":"bank1:\/\/\{path\}"/,
  );
  assert.doesNotMatch(await readWaiting(), /class="banks"|bankLinks/);
});

for (const [name, value, problem] of [
  ['contact', 'help@shop.example', /shop\.contact: must be tel:/],
  ['url', 'http://shop.example', /shop\.url: must be an https: address/],
  ['termsUrl', 'https://user:word@shop.example', /shop\.termsUrl: must have no user/],
  ['timeZone', 'Moscow', /shop\.timeZone: must be a time zone/],
  ['logoUrl', '//cdn.example/logo.svg', /shop\.logoUrl: must be an https: address of a picture/],
  ['bankLinks', { One: 'data:text/html,{link}' }, /shop\.bankLinks\.One: must be a list of at most 6/],
  ['methodLogos', { SBP: 'http://shop.example/sbp.svg' }, /shop\.methodLogos\.SBP: must be a list such as SBP=/],
] as const)
  test(`createPayPage refuses what the variables of the standalone server may not be: ${name}`, () =>
    assert.rejects(openPage({}, { shop: { [name]: value } }), problem));

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
