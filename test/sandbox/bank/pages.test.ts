import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { chooseLanguage, formatMoney, formatTimeLeft } from '../../../src/tools/sandbox/bank/texts.ts';
import { TestSandbox, type Json, type SandboxResponse } from '../test-sandbox.ts';

const form = { 'content-type': 'application/x-www-form-urlencoded' };

interface Page {
  readonly service: TestSandbox;
  readonly id: string;
  /** The path of the payment page. */
  readonly path: string;
}

async function createPage(change: Json = {}): Promise<Page> {
  const service = new TestSandbox();
  const id = await service.createId(change);
  return { service, id, path: `/pay/${id}` };
}

/** Extracts the text of a page, without its markup. */
function extractText({ text }: SandboxResponse): string {
  return text
    .replace(/<head>.*<\/head>/s, '')
    .replace(/<[^<>]+>/g, ' ')
    .replace(/[\s\u00a0\u202f]+/g, ' ');
}

describe('the payer’s bank', () => {
  it('shows at payment_url the amount, the order, the time left, the requisites and that it is a test', async () => {
    const { service, path } = await createPage({ external_id: 'order-7', payment_method_id: 'pm_card', mode: 'TEST' });
    const page = await service.send('GET', path);
    assert.equal(page.status, 200);
    const text = extractText(page);
    for (const part of [
      'Банк Песочница',
      'ТЕСТ',
      '1 500,00 ₽',
      'order-7',
      'до 13:15 МСК',
      'осталось 15 мин',
      'Тестовый Получатель',
    ])
      assert.ok(text.includes(part), `${part}: ${text}`);
    assert.match(text, /2200 0000 \d{4} \d{4}/);
  });

  it('leads from nspk_url to the page of the invoice, also under the path of a proxy', async () => {
    const service = new TestSandbox();
    const { nspk_url, id } = await service.create({ qr: { generate: true } });
    const { pathname, search } = new URL(z.string().parse(nspk_url));
    const redirect = await service.send('GET', `${pathname}${search}`);
    assert.equal(redirect.status, 302);
    assert.equal(redirect.headers.get('location'), `../pay/${z.string().parse(id)}`);
  });

  for (const { language, pay, refuse } of [
    { language: 'ru', pay: 'Оплатить 1 500,00 ₽', refuse: 'Отказаться' },
    { language: 'en', pay: 'Pay ₽1,500.00', refuse: 'Refuse' },
  ])
    it(`has plain buttons in ${language}: ${pay}, ${refuse}`, async () => {
      const { service, path } = await createPage({ payment_method_id: 'pm_card' });
      const { text, headers } = await service.send('GET', path, undefined, { 'accept-language': language });
      const buttons = [...text.matchAll(/<button[^>]*name="action" value="(\w+)"[^>]*>([^<]*)<\/button>/g)];
      assert.deepEqual(
        buttons.map(([, value, name]) => [value, name?.trim().replace(/[\u00a0\u202f]/g, ' ')]),
        [
          ['pay', pay],
          ['fail', refuse],
        ],
      );
      assert.match(text, new RegExp(`<html lang="${language}"`));
      assert.match(text, language === 'ru' ? /Получатель [ПТ]\./ : /(?:Test|Sandbox) Recipient/);
      assert.doesNotMatch(text, /<script|style=/);
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/);
    });

  for (const { action, status, title, link } of [
    { action: 'pay', status: 'PAID', title: 'Оплачено', link: 'https://shop.test/ok' },
    { action: 'fail', status: 'FAILED', title: 'Вы отказались от оплаты', link: 'https://shop.test/no' },
  ])
    it(`§4.1 sets the status ${status} for the action ${action}, redirects to the page, and shows the merchant’s link`, async () => {
      const url_config = { success_url: 'https://shop.test/ok', fail_url: 'https://shop.test/no' };
      const { service, id, path } = await createPage({ url_config });
      const response = await service.send('POST', `${path}?lang=ru`, `action=${action}`, form);
      assert.equal(response.status, 303);
      assert.equal(response.headers.get('location'), '?lang=ru');
      assert.equal((await service.fetchOne(id))['status'], status);
      const page = await service.send('GET', path);
      assert.ok(extractText(page).includes(title));
      assert.deepEqual(page.text.match(/https:\/\/shop\.test\/\w+/g), [link]);
      assert.doesNotMatch(page.text, /<button/);
    });

  for (const { status, title } of [
    { status: 'EXPIRED', title: 'Срок счёта истёк' },
    { status: 'PAID', title: 'Оплачено' },
    { status: 'PROCESSING', title: 'Платёж обрабатывается' },
    { status: 3, title: 'Платёж обрабатывается' },
  ])
    it(`shows no buttons when the invoice is ${status}, and ignores a form that is sent late`, async () => {
      const { service, id, path } = await createPage();
      await service.send('POST', `/sandbox/invoices/${id}/status`, { status });
      const page = await service.send('GET', path);
      assert.ok(extractText(page).includes(title));
      assert.doesNotMatch(page.text, /<button/);
      for (const action of ['pay', 'fail', 'else']) await service.send('POST', path, `action=${action}`, form);
      assert.equal((await service.fetchOne(id))['status'], status);
    });

  it('sends a refresh header for the time at which the invoice expires, and then shows that it has expired', async () => {
    const { service, path } = await createPage();
    assert.equal((await service.send('GET', path)).headers.get('refresh'), '901');
    await service.clock.advance(15 * 60_000);
    const page = await service.send('GET', path);
    assert.equal(page.headers.get('refresh'), null);
    assert.ok(extractText(page).includes('Срок счёта истёк'));
  });

  for (const path of ['/pay/inv_none', '/pay/%3Cscript%3E'])
    it(`answers ${path} with 404 and a page that says that there is no such invoice`, async () => {
      const page = await new TestSandbox().send('GET', path);
      assert.equal(page.status, 404);
      assert.ok(extractText(page).includes('Счёт не найден'));
      assert.doesNotMatch(page.text, /<script>/);
    });

  it('lists the invoices at /, the newest first, each with its time, its order and a link to its page', async () => {
    const service = new TestSandbox();
    assert.ok(extractText(await service.send('GET', '/')).includes('Пока ни одного'));
    const first = await service.createId({ external_id: 'a<b', amount: '5' });
    await service.clock.advance(61_000);
    const second = await service.createId();
    await service.send('POST', `/sandbox/invoices/${second}/pay`);
    const third = await service.createId({ external_id: 'att_1', metadata: { order_id: 'ord-3' } });
    const page = await service.send('GET', '/?lang=en');
    const entries =
      /₽1,500\.00 .+? Order ord-3 PENDING ₽1,500\.00 (.+?), 13:01:01 Moscow time Invoice inv_\w+ PAID ₽5\.00 \1, 13:00:00 Moscow time Order a&lt;b PENDING/;
    assert.match(extractText(page), entries);
    assert.deepEqual(
      [...page.text.matchAll(/href="pay\/(\w+)\?lang=en"/g)].map(([, id]) => id),
      [third, second, first],
    );
  });

  it('has no address that begins with a slash: a proxy may serve the bank under a path', async () => {
    const { service, path } = await createPage();
    for (const page of ['/', path, '/pay/unknown'])
      assert.doesNotMatch((await service.send('GET', page)).text, /(?:href|src|action)="\//);
  });

  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://localhost:8080' },
    { 'sec-fetch-site': 'cross-site' },
  ])
    it(`refuses a form of another site: ${JSON.stringify(headers)}`, async () => {
      const { service, id, path } = await createPage();
      assert.equal((await service.send('POST', path, 'action=pay', { ...form, ...headers })).status, 403);
      assert.equal((await service.fetchOne(id))['status'], 'PENDING');
      const ownPageHeaders = { ...form, origin: 'http://sandbox.test', 'sec-fetch-site': 'same-origin' };
      assert.equal((await service.send('POST', path, 'action=pay', ownPageHeaders)).status, 303);
    });

  it('escapes the identifiers and URLs that merchants send', async () => {
    const { service, path } = await createPage({
      external_id: '<img src=x onerror=alert(1)>"',
      url_config: { success_url: 'https://shop.test/?a="><script>x</script>' },
    });
    await service.send('POST', path, 'action=pay', form);
    const { text } = await service.send('GET', path);
    assert.ok(text.includes('&lt;img src=x onerror=alert(1)&gt;&quot;'));
    assert.doesNotMatch(text, /<img|<script/);
  });

  for (const { query, accepted, language } of [
    { query: undefined, accepted: undefined, language: 'ru' },
    { query: undefined, accepted: 'ru-RU,ru;q=0.9,en;q=0.8', language: 'ru' },
    { query: undefined, accepted: 'en-GB,en;q=0.9,ru;q=0.8', language: 'en' },
    { query: undefined, accepted: 'de,ru;q=0.2,en;q=0.1', language: 'ru' },
    { query: undefined, accepted: 'de-DE', language: 'en' },
    { query: undefined, accepted: 'en;q=0,*', language: 'ru' },
    { query: 'en', accepted: 'ru', language: 'en' },
    { query: 'xx', accepted: 'en', language: 'en' },
  ])
    it(`chooses ${language} when ?lang= is ${query ?? 'missing'} and Accept-Language is ${accepted ?? 'missing'}`, () => {
      assert.equal(chooseLanguage(query, accepted), language);
    });

  it('formats large amounts with all digits, and the remaining time in hours and minutes', () => {
    assert.match(formatMoney('99999999999999999999.99', 'ru'), /999,99\s₽$/);
    assert.match(formatMoney('7', 'ru'), /^7,00\s₽$/);
    const cases = [
      [59_999, 'ru', 'осталось меньше минуты'],
      [60_000, 'en', '1 min left'],
      [3_600_000, 'ru', 'осталось 1 ч'],
      [5_400_000, 'en', '1 hr 30 min left'],
    ] as const;
    for (const [ms, language, text] of cases)
      assert.equal(formatTimeLeft(ms, language).replace(/[\u00a0\u202f]/g, ' '), text);
  });
});
