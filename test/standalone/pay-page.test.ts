import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { createPayPage } from '../../src/standalone.ts';
import { endpoint } from '../support/test-checkout-server.ts';
import { keyIn, openPage } from './open-pay-page.ts';

test('the page of an open checkout has the methods as a form, in the payer’s language, and nothing of the shop is markup', async () => {
  const { read } = await openPage({ description: 'Bowl </script><b>' });
  const russian = await read();
  assert.match(russian, /<html lang="ru"/);
  assert.match(russian, /<form\s+method="post"/);
  assert.match(russian, /value="pm_sbp"/);
  assert.match(russian, /Продолжить/);
  assert.match(await read('', 'de, en;q=0.5'), /<html lang="en"[^]*Continue/);
  assert.match(russian, /Leaf &amp; &lt;Clay&gt;/);
  assert.doesNotMatch(russian, /<\/script><b>/);
});

for (const [accepted, language] of [
  ['en;q=0.1, ru;q=0.9', 'ru'],
  ['ru;q=0.5,kk;q=0.9,en;q=0.7', 'kk'],
  ['ru;q=0, en', 'en'],
  ['ja, ru;q=0.3, en;q=0.4', 'en'],
  ['*;q=0.1, ru;q=0.05', 'ru'],
] as const)
  test(`the page is in the language that the browser wants most: ${accepted}`, async () => {
    const { read } = await openPage();
    assert.match(await read('', accepted), new RegExp(`<html lang="${language}"`));
  });

test('the form creates one invoice however often it is sent, and sends the browser back to the page', async () => {
  const { harness, read, submit, url } = await openPage();
  const key = keyIn(await read());
  for (let count = 0; count < 3; count += 1) {
    const response = await submit({ key, payment_method_id: 'pm_sbp' });
    assert.equal(response.status, 303);
    assert.equal(response.headers.get('location'), new URL(url).pathname);
  }
  assert.equal(harness.service.createsProcessed, 1);
});

for (const [sender, headers, isAllowed] of [
  ['the page itself', { origin: 'null', 'sec-fetch-site': 'same-origin' }, true],
  ['the page in a browser without Sec-Fetch-Site', { origin: 'null' }, true],
  ['the page of the shop in a browser without Sec-Fetch-Site', { origin: 'https://shop.example' }, true],
  ['a client that is no browser', {}, true],
  ['a page of another site', { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }, false],
  ['a page of another site without a referrer', { origin: 'null', 'sec-fetch-site': 'cross-site' }, false],
  ['a page of another site in a browser without Sec-Fetch-Site', { origin: 'https://elsewhere.example' }, false],
  ['a page of another host of the same site', { origin: 'null', 'sec-fetch-site': 'same-site' }, false],
] as const)
  test(`a form from ${sender} ${isAllowed ? 'creates an invoice' : 'is refused'}`, async () => {
    const { harness, read, send } = await openPage();
    const body = new URLSearchParams({ key: keyIn(await read()), payment_method_id: 'pm_sbp' });
    const response = await send('', { method: 'POST', body, headers });
    assert.equal(response.status, isAllowed ? 303 : 403);
    assert.equal(harness.service.createsProcessed, isAllowed ? 1 : 0);
  });

test('another method is refused while an invoice can be paid, unless the payer asks for it on the page that says so', async () => {
  const { harness, read, submit } = await openPage();
  await submit({ key: keyIn(await read()), payment_method_id: 'pm_sbp' });
  await submit({ key: 'another', payment_method_id: 'pm_card' });
  assert.equal(harness.service.createsProcessed, 1);
  const methods = await read('?methods=1');
  assert.match(methods, /Не\u00a0платите дважды/);
  assert.match(methods, /name="replace" value="1"/);
  await submit({ key: keyIn(methods), payment_method_id: 'pm_card', replace: '1' });
  assert.equal(harness.service.createsProcessed, 2);
});

test('a restored page with the same key and another choice makes another request', async () => {
  const { harness, read, submit } = await openPage();
  harness.service.createFaults.push({ kind: 'fails', failure: 'refused' });
  const key = keyIn(await read());
  await submit({ key, payment_method_id: 'pm_sbp' });
  await submit({ key, payment_method_id: 'pm_card' });
  assert.equal(harness.service.createsProcessed, 1);
});

test('a refusal is said on the page', async () => {
  const { read, submit } = await openPage();
  const response = await submit({ key: 'k', payment_method_id: 'pm_none' });
  const location = response.headers.get('location') ?? '';
  assert.match(location, /\?problem=method_unavailable&method=pm_none$/);
  assert.match(await read(location.replace(/^[^?]*/, '')), /Этот способ сейчас недоступен/);
});

/** The hidden fields of a page's form. */
const hiddenFieldsIn = (page: string): Record<string, string> =>
  Object.fromEntries(
    [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );

for (const [currency, typed, requested, refusal] of [
  ['RUB', '1 500,50', '1500.50'],
  ['RUB', '1500\u00a0₽', '1500'],
  ['RUB', '\u200e1500,5\u2069', '1500.5'],
  ['RUB', '1500.505', undefined, 'Сумма должна быть кратна 0,01\u00a0₽'],
  ['JPY', '1500,00', '1500'],
  ['JPY', '1500.5', undefined, 'Сумма должна быть кратна 1\u00a0¥'],
  ['JPY', '1,500', undefined, 'Напишите сумму так: 1500'],
  ['RUB', '1,500', undefined, 'Напишите сумму так: 1500,01'],
  ['KWD', '1500.125', '1500.125'],
  ['KWD', '150,125', '150.125'],
  ['KWD', '1,500.00', undefined, 'Напишите сумму так: 1500,001'],
  ['KWD', '1500,1255', undefined, 'Сумма должна быть кратна 0,001\u00a0KWD'],
] as const)
  test(`without a script, ${JSON.stringify(typed)} in ${currency} is ${requested === undefined ? 'refused with the reason' : `read as ${requested}`}`, async () => {
    const { harness, read, submit } = await openPage(
      { amount: null, amountLimits: { minAmount: '100', maxAmount: '5000' }, currency },
      {},
      { currencies: ['RUB', 'JPY', 'KWD'] },
    );
    const page = await read();
    assert.match(page, /name="amount"/);
    const response = await submit({ ...hiddenFieldsIn(page), payment_method_id: 'pm_sbp', amount: typed });
    assert.equal(harness.service.createRequests[0]?.amount, requested);
    const next = await read((response.headers.get('location') ?? '').replace(/^[^?]*/, ''));
    if (refusal !== undefined) assert.ok(next.includes(refusal), next);
  });

const typedAmounts: readonly (readonly [
  title: string,
  currency: string,
  form: Readonly<Record<string, string>>,
  reason: string,
])[] = [
  ['a form without the hidden currency', 'RUB', { amount: '1,500.00' }, 'Напишите сумму так: 1500,01'],
  ['a form without the hidden currency', 'JPY', { amount: '1500.5' }, 'Сумма должна быть кратна 1\u00a0¥'],
  [
    'a form with another currency',
    'RUB',
    { amount: '1500.505', currency: 'KWD' },
    'Сумма должна быть кратна 0,01\u00a0₽',
  ],
  ['a form with a currency that is none', 'RUB', { amount: 'много', currency: '<b>' }, 'Напишите сумму так'],
  ['an amount below the limits', 'RUB', { amount: '50' }, 'Слишком мало: введите 100\u00a0₽ или больше'],
  ['an amount above the limits', 'RUB', { amount: '5000,01' }, 'Слишком много: введите 5\u00a0000\u00a0₽ или меньше'],
  ['markup in place of an amount', 'RUB', { amount: '"><script>' }, 'Напишите сумму так'],
  ['an empty amount', 'RUB', { amount: '' }, 'Введите сумму от\u00a0100 до\u00a05\u00a0000\u00a0₽'],
  ['no amount', 'RUB', {}, 'Введите сумму от'],
];
for (const [title, currency, form, reason] of typedAmounts)
  test(`without a script, ${title} (${form['amount'] ?? ''} in ${currency}) is told as the widget tells it, and the form keeps what the payer has typed and chosen`, async () => {
    const { harness, read, submit } = await openPage(
      { amount: null, amountLimits: { minAmount: '100', maxAmount: '5000' }, currency },
      {},
      { currencies: ['RUB', 'JPY', 'KWD'] },
    );
    const response = await submit({ key: 'k', payment_method_id: 'pm_card', ...form });
    assert.equal(response.status, 303);
    assert.equal(harness.service.createRequests.length, 0);
    const next = await read((response.headers.get('location') ?? '').replace(/^[^?]*/, ''));
    assert.ok(next.includes(reason), next);
    assert.doesNotMatch(next.replace(/<script type="(?:module|application)/g, ''), /<script/);
    const typed = (form['amount'] ?? '').replaceAll('"', '&quot;').replaceAll('>', '&gt;').replaceAll('<', '&lt;');
    assert.match(next, new RegExp(`<input\\s+name="amount"[^>]*\\svalue="${typed}"`));
    assert.deepEqual(next.match(/(?<=value=")pm_\w+(?="\s+checked)/g), ['pm_card']);
  });

for (const form of [
  {},
  { payment_method_id: 'pm_none' },
  { currency: 'RUB' },
  { replace: '1', amount: '1' },
  { key: 'a'.repeat(5000) },
])
  test(`a form with ${JSON.stringify(form).slice(0, 40)} is no failure of the server`, async () => {
    for (const order of [{}, { amount: null, amountLimits: { minAmount: '100' } }]) {
      const { read, submit } = await openPage(order);
      const response = await submit(form);
      assert.equal(response.status, 303);
      assert.match(await read((response.headers.get('location') ?? '').replace(/^[^?]*/, '')), /role="alert"/);
    }
  });

test('a waiting invoice shows its QR, and only its status is loaded again, in a frame, so that nothing is lost that the payer does', async () => {
  const { harness, read, send, submit } = await openPage();
  const link = `https://qr.nspk.ru/AD${'1A2B3C4D'.repeat(4)}?type=02&bank=100000000111&sum=150000&cur=RUB&crc=ABCD`;
  harness.service.invoiceChanges = { nspk_url: link, payment_url: 'https://pay.example/1' };
  await submit({ key: 'k', payment_method_id: 'pm_sbp' });
  await harness.advance(3000);
  const page = await read();
  assert.match(page, /<svg[^>]*role="img"[^>]*aria-label="QR-код для оплаты"/);
  assert.match(page, /href="https:\/\/qr\.nspk\.ru\/[^"]+" target="_top"/);
  assert.doesNotMatch(page, /http-equiv="refresh"/);
  // What it says is true where the widget's files do not come, too.
  assert.match(page, /<p class="status" role="status">Оплаты пока не\sвидно\. Проверили в\s\d\d:\d\d[^<]*\.</);
  assert.match(page, /<iframe loading="lazy" src="\/pay\/chk_[\w-]+\?status=pending" title="Оплата"><\/iframe>/);
  const waiting = await send('?status=pending', { headers: { 'accept-language': 'ru' } });
  const status = await waiting.text();
  assert.match(status, /http-equiv="refresh" content="10"/);
  assert.match(status, /Оплаты пока не\sвидно\. Проверили в\s\d\d:\d\d[^]*Осталось времени: 15\sминут/);
  for (const invoice of harness.service.invoices.values()) invoice.status = 'PAID';
  await harness.until(harness.server.check(harness.id));
  const paid = await read('?status=pending');
  assert.match(paid, /<a href="\/pay\/chk_[\w-]+" target="_parent">Деньги получены\. Обновить<\/a>/);
  assert.doesNotMatch(paid, /http-equiv="refresh"/);
});

test('a page says when the service has told the status of the payment, and not when the page was made', async () => {
  const { harness, read, submit } = await openPage();
  await submit({ key: 'k', payment_method_id: 'pm_sbp' });
  const checked = async (): Promise<string | undefined> =>
    /Оплаты пока не\sвидно\.([^<]*)</.exec(await read('?status=pending'))?.[1]?.trim();
  assert.equal(await checked(), '', 'the service was not asked yet');
  await harness.advance(3000);
  const told = await checked();
  assert.match(told ?? '', /^Проверили в\s\d\d:\d\d/);
  harness.service.invoices.clear(); // its answers are without the invoice
  await harness.advance(180_000);
  assert.equal(await checked(), told);
});

test('the status of a page that shops may frame may be in that page, and one that is not known is asked for again', async () => {
  const { send, url, payPage } = await openPage({}, { frameAncestors: ['https://site.example'] });
  const policy = (await send('?status=pending')).headers.get('content-security-policy') ?? '';
  assert.doesNotMatch(policy, /frame-ancestors/);
  // A page without an origin: there the frame's link could not lead the page around it.
  const linkless = await send('?status=paid', { headers: { 'accept-language': 'ru', 'sec-fetch-site': 'cross-site' } });
  assert.doesNotMatch(await linkless.text(), /<a /);
  const unknown = await payPage(new Request(`${url.slice(0, -4)}aaaa?status=pending`), { address: undefined });
  assert.match(await unknown.text(), /http-equiv="refresh"/);
});

test('the headers keep the capability to the page: no referrer, no cache, no index, a policy with the hash of its own style', async () => {
  const { send } = await openPage();
  const response = await send();
  assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.equal(response.headers.get('x-robots-tag'), 'noindex');
  const policy = response.headers.get('content-security-policy') ?? '';
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(await response.text()) ?? [];
  assert.ok(policy.includes(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`), policy);
  assert.match(policy, /default-src 'none'.*frame-ancestors 'none'; img-src 'self' data: https:\/\/cdn\.example;/);
  assert.doesNotMatch(policy, /unsafe/);
});

test('a page that is only prefetched or prerendered reaches no checkout', async () => {
  const { calls, send } = await openPage();
  for (const purpose of ['prefetch', 'prefetch;prerender'])
    assert.equal((await send('', { headers: { 'sec-purpose': purpose } })).status, 503);
  assert.deepEqual(calls, []);
});

test('an unknown capability has a plain page with 404, as a malformed path has', async () => {
  const { payPage } = await openPage();
  for (const path of [`chk_${'a'.repeat(32)}`, 'chk_short', '']) {
    const response = await payPage(new Request(`https://shop.example/pay/${path}`), { address: undefined });
    assert.equal(response.status, 404);
    assert.match(await response.text(), /Payment not found/);
  }
});

test('a database that does not answer has a page that is loaded again', async () => {
  const { harness, send } = await openPage();
  const payPage = createPayPage({
    checkouts: {
      handle: () => assert.fail(),
      view: () => Promise.resolve({ refused: 'try_again', retryAfterMs: 2000 }),
    },
    endpoint,
  });
  const response = await payPage(new Request(`https://shop.example/pay/${harness.capability}`), { address: undefined });
  assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '2']);
  assert.match(await response.text(), /http-equiv="refresh"/);
  assert.deepEqual(
    [(await send('', { method: 'DELETE' })).status, (await send('', { method: 'HEAD' })).body],
    [405, null],
  );
});

test('without QR codes of pages, a page has no address for one, and its picture is not there', async () => {
  for (const [pageQr, status] of [
    [true, 200],
    [false, 404],
  ] as const) {
    const { read, send } = await openPage({}, { pageQr });
    assert.equal((await send('/qr.svg')).status, status);
    assert.equal((await read()).includes('phone-url'), pageQr);
  }
});

test('a paid checkout says so, and its page is not loaded again', async () => {
  const { harness, read, submit } = await openPage({ successUrl: 'https://shop.example/thanks' });
  await submit({ key: 'k', payment_method_id: 'pm_card' });
  for (const invoice of harness.service.invoices.values()) invoice.status = 'PAID';
  const checked = harness.server.check(harness.id);
  await harness.until(checked);
  const page = await read();
  assert.match(page, /Спасибо! Магазин узнает об.оплате сам\./);
  assert.match(page, /href="https:\/\/shop\.example\/thanks" target="_top"/);
  assert.doesNotMatch(page, /http-equiv="refresh"|<form/);
});

test('the shop’s colour is the accent of both themes, with black or white on it', async () => {
  for (const [accent, text] of [
    ['#ffdd2d', '#000'],
    ['#3451d1', '#fff'],
  ] as const) {
    const page = await (await openPage({}, { accent })).read();
    const accents = [...page.matchAll(/;--accent:([^;]+);--accent-text:([^}]+)\}/g)].map((match) => match.slice(1));
    assert.deepEqual(accents, [
      [accent, text],
      [accent, text],
    ]);
  }
  assert.throws(
    () =>
      createPayPage({ checkouts: { handle: () => assert.fail(), view: () => assert.fail() }, endpoint, accent: 'red' }),
    /accent: must be/,
  );
});
