import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { html } from 'hono/html';
import type { CheckoutServer } from '../server.ts';
import { acceptedLanguages } from './accepted-languages.ts';
import { inlineSource, pageHeaders } from './security-headers.ts';
import { drawQr } from '../base/qr-modules.ts';
import { encodeQr } from '../base/qr-encoder.ts';
import { drawingSvg, methodDrawings } from '../base/method-drawings.ts';
import { isLoopback } from './environment/read-variables.ts';
import { pageStyle } from './pay-page/page-style.ts';
import { qrSvg } from './pay-page/pay-page-screens.ts';
import { renderDocument } from './pay-page/render-page.ts';
import { isFromOtherOrigin, problem, type App } from './problem-responses.ts';

export interface TrialOptions {
  readonly checkouts: Pick<CheckoutServer, 'create' | 'getByOrder'>;
  /** The addresses of the server, and of its admin API. */
  readonly publicUrl: string;
  readonly adminUrl: () => string;
  readonly sandboxUrl: string;
  readonly currency: string;
  /** Whether the page has the QR code of its address. */
  readonly pageQr: boolean;
  /** The package's folder, with its documents. */
  readonly packageFolder: string;
}

const amount = '1500.00';

/** The documents to begin with, and what each is about. */
const documents = {
  en: {
    'docs/standalone-server.md': 'This server: configuration, admin API, outcomes',
    'examples/README.md': 'Shops in PHP, Python and Go to copy',
    'docs/sandbox.md': 'The sandbox, and how it fails on demand',
    'docs/going-live.md': 'Before real money',
  },
  ru: {
    'docs/standalone-server.md': 'Этот сервер: настройка, API, уведомления (англ.)',
    'examples/README.md': 'Примеры магазинов на PHP, Python и Go (англ.)',
    'docs/sandbox.md': 'Песочница и неполадки по заказу (англ.)',
    'docs/ru/going-live.md': 'Перед настоящими деньгами',
  },
} as const;

const texts = {
  en: {
    title: 'A trial: no money moves',
    text: 'The checkout server runs, with a sandbox of the invoice service beside it.',
    paid: 'The test order is paid. The operator’s page, below, has all that happened to it.',
    unpaid: 'The test order is not paid. If you have paid it just now, load this page again.',
    pay: 'Make a test payment',
    payText: 'Creates a checkout and opens its page. Pay in the sandbox’s bank, and see the page follow.',
    phone: 'On a phone',
    phoneText: 'On the same Wi‑Fi, scan the code or open',
    phoneHow:
      'For a phone on the same Wi‑Fi, start the server with HOST=0.0.0.0: its address and a QR code are then here.',
    operator: 'The operator’s page',
    operatorText: 'Finds that order and all that happened to it. Sign in with the admin token: the terminal shows it.',
    api: 'The same from your shop',
    apiText: 'The answer has the address of the page as “url”.',
    sandbox: 'The sandbox’s own page: its invoices and their bank',
    read: 'More',
    description: 'Test order',
  },
  ru: {
    title: 'Пробный режим: деньги не списываются',
    text: 'Сервер оплаты работает, рядом запущена песочница сервиса счетов.',
    paid: 'Тестовый заказ оплачен. Всё, что с ним было, — на странице оператора, ниже.',
    unpaid: 'Тестовый заказ не оплачен. Если вы оплатили его только что, обновите страницу.',
    pay: 'Создать тестовый платёж',
    payText: 'Откроется страница оплаты. Оплатите в банке песочницы: страница обновится сама.',
    phone: 'С телефона',
    phoneText: 'В той же сети Wi‑Fi отсканируйте код или откройте',
    phoneHow:
      'Чтобы открыть с телефона в той же сети Wi‑Fi, запустите сервер с HOST=0.0.0.0: здесь появятся адрес и QR-код.',
    operator: 'Страница оператора',
    operatorText:
      'Находит этот заказ и всё, что с ним было. Войдите с токеном администратора: он напечатан в терминале.',
    api: 'То же из вашего магазина',
    apiText: 'Адрес страницы — в ответе, в поле «url».',
    sandbox: 'Страница самой песочницы: её счета и банк',
    read: 'Ещё',
    description: 'Тестовый заказ',
  },
} as const;

const style = `${pageStyle()}body{max-width:44rem}h1{font-size:1.5em;letter-spacing:0}h2{margin-bottom:.25em;font-size:1em}pre{margin-bottom:.25em;padding:.875em 1em;border-radius:.75rem;background:var(--faint);font:.8125rem/1.5 ui-monospace,monospace;white-space:pre-wrap}ul{padding:0;list-style:none}.link{margin-inline-start:-.25em;text-align:start}.muted .link{min-height:0;margin:0;padding:0}.qr svg{max-width:12rem}.head{min-height:0;padding-block:1.5rem}`;
const pictureHeaders = { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=3600' };
const headers = pageHeaders([`style-src ${inlineSource(style)}`, "form-action 'self'"]);

/** The pictures of the methods in a trial whose shop has none of its own: paths of the server at `publicUrl`. */
export const trialLogos = (publicUrl: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.keys(methodDrawings).map((type) => [
      type,
      `${new URL(publicUrl).pathname.replace(/\/$/, '')}/methods/${type}.svg`,
    ]),
  );

const orderIdOf = (number: string): string => `trial-${number}`;

const languageOf = (request: Request): 'ru' | 'en' =>
  /^ru\b/i.test(acceptedLanguages(request)[0] ?? '') ? 'ru' : 'en';

/** Adds the first page of a trial: what to do now, in one screen. A button makes a test checkout. */
export function addTrialPage(app: App, options: TrialOptions): void {
  const { checkouts, publicUrl, adminUrl, sandboxUrl, currency, pageQr, packageFolder } = options;
  const { pathname: root, hostname } = new URL(`${publicUrl}/`);
  const isReachable = !isLoopback(hostname);
  const image = isReachable && pageQr ? drawQr(encodeQr(publicUrl)) : undefined;

  app.get('/', async (c) => {
    const language = languageOf(c.req.raw);
    const t = texts[language];
    const order = await checkouts.getByOrder(orderIdOf(c.req.query('order') ?? ''));
    const command = `curl ${adminUrl()}/admin/checkouts \\
  -H "Authorization: Bearer $ADMIN_TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{ "order_id": "1001", "reference": "1001",
        "amount": "${amount}", "currency": "${currency}" }'`;
    const links = Object.entries(documents[language]).map(
      ([path, name]) => html`<li><a class="link" href="${root}${path}">${name}</a></li>`,
    );
    const body = html`<div class="card one">
      <div class="head">
        <h1>${t.title}</h1>
        <p class="order">${order === undefined ? t.text : order.status === 'paid' ? t.paid : t.unpaid}</p>
      </div>
      <div class="screen">
        <form method="post" action="${root}">
          <button class="main">${t.pay}</button>
          <p class="muted">${t.payText}</p>
        </form>
        <div>
          <h2>${t.phone}</h2>
          <p class="muted">
            ${isReachable ? html`${t.phoneText} <a class="link" href="${publicUrl}">${publicUrl}</a>` : t.phoneHow}
          </p>
          ${image === undefined ? '' : html`<div class="qr">${qrSvg(image, 'QR', 'qr')}</div>`}
        </div>
        <div>
          <h2><a class="link" href="${adminUrl()}/admin">${t.operator}</a></h2>
          <p class="muted">${t.operatorText}</p>
        </div>
        <div>
          <h2>${t.api}</h2>
          <pre>${command}</pre>
          <p class="muted">${t.apiText}</p>
        </div>
        <div>
          <h2>${t.read}</h2>
          <ul>
            ${links}
            <li><a class="link" href="${sandboxUrl}">${t.sandbox}</a></li>
          </ul>
        </div>
      </div>
    </div>`;
    const document = { title: 'pay-invoice-server', body };
    const page = renderDocument({ style, t: { language, direction: 'ltr' } }, document);
    return c.html(page, 200, headers);
  });

  app.post('/', async (c) => {
    if (isFromOtherOrigin(c.req.raw)) throw problem('origin_not_allowed');
    const number = randomUUID().slice(0, 8);
    const language = languageOf(c.req.raw);
    // The names of banks and recipients are in the same language. Where the sandbox cannot be reached, they stay Russian.
    await fetch(`${sandboxUrl}/sandbox/settings`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ language }),
      signal: AbortSignal.timeout(1000),
    }).catch(() => undefined);
    const { capability } = await checkouts.create({
      orderId: orderIdOf(number),
      amount,
      currency,
      description: texts[language].description,
      reference: number,
      successUrl: `${publicUrl}/?order=${number}`,
      failUrl: `${publicUrl}/?order=${number}`,
    });
    return c.body(null, 303, { location: `${publicUrl}/pay/${capability}`, 'referrer-policy': 'no-referrer' });
  });

  for (const [type, path] of Object.entries(methodDrawings))
    app.get(`/methods/${type}.svg`, (c) => c.body(drawingSvg(path), 200, pictureHeaders));

  for (const path of Object.values(documents).flatMap((names) => Object.keys(names))) {
    const file = join(packageFolder, path);
    if (existsSync(file))
      app.get(`/${path}`, (c) => c.body(readFileSync(file), 200, { 'content-type': 'text/plain; charset=utf-8' }));
  }
}
