// The server of the bench. It serves the subjects' pages and files, and plausible responses to their calls. A page and a call
// take it the same time.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Hono } from 'hono';
import QRCode from 'qrcode';
import type { Checkout, PaymentOption } from '../../src/checkout-api.ts';
import { qrCodeOf } from '../../src/server/domain/qr-codes.ts';
import { toNodeListener } from '../../src/server.ts';
import type * as standalone from '../../src/standalone.ts';
import { listen } from '../mounts/listen.ts';
import { cardOption, sbpOption, makeInvoice, makeOpenCheckout, transferOption } from '../support/checkout-responses.ts';
import type { Assets } from './build-subjects.ts';
import { scenes, subjects, type Scene } from './subjects.ts';

/** The simulated time that a server works on each page and each call, in ms. */
const serverDelayMs = 50;

/** The text of every QR. */
export const qrLink =
  'https://qr.nspk.ru/AD100004BAL7227F9BNP6KNE007J9B3K?type=02&bank=100000000007&sum=150000&cur=RUB&crc=AB75';

const options: readonly PaymentOption[] = [
  sbpOption,
  cardOption,
  { ...transferOption, name: 'Перевод по реквизитам', available: true },
];

/** What a checkout has, by its id: options, an invoice with a QR, or one with requisites alone. */
const sceneByCheckout = new Map<string, Scene>();

function makeCheckout(id: string): Checkout {
  const scene = sceneByCheckout.get(id) ?? 'choose';
  const server_time = new Date().toISOString();
  if (scene === 'choose') return makeOpenCheckout({ id, server_time, options: [...options] });
  const invoice = makeInvoice({
    bank: { name: 'Тестбанк' },
    ...(scene === 'resume' && { nspk_url: qrLink, qr: qrCodeOf(qrLink) }),
  });
  return makeOpenCheckout({ id, server_time, status: 'pending', options: [], invoice });
}

const importBuilt = async (): Promise<typeof standalone> =>
  (await import(new URL('../../dist/lib/standalone.js', import.meta.url).href)) as typeof standalone;

async function renderServerTag(checkout: Checkout): Promise<string> {
  const { checkoutMarkup } = await importBuilt();
  const markup = await checkoutMarkup(checkout, { payPage: `/pay/${checkout.id}`, lang: 'ru' });
  return `<pay-invoice checkout="${checkout.id}" method="pm_sbp">${markup}</pay-invoice>`;
}

let payPage: Promise<standalone.PayPage> | undefined;

/** Serves the pay page of the package's build, without a database. */
async function createPayPage(): Promise<standalone.PayPage> {
  const { createPayPage } = await importBuilt();
  const view = (capability: string) => Promise.resolve({ checkout: makeCheckout(capability) });
  const handle = () => Promise.reject(new Error('the bench sends no form'));
  const widget = '/assets/pay-page/pay-invoice.js';
  return createPayPage({ checkouts: { handle, view }, endpoint: 'http://bench/checkout', widget });
}

/** The id of the checkout of each visit. A repeated navigation in one visit gets the same checkout. */
const checkoutIdByVisit = new Map<string, string>();

function findOrCreateCheckoutId(visit = ''): string {
  const id = checkoutIdByVisit.get(visit) ?? `chk_${randomUUID()}`;
  checkoutIdByVisit.set(visit, id);
  return id;
}

async function renderPage(subjectId: string, scene: Scene, id: string, assets: Assets | undefined): Promise<string> {
  const subject = subjects.find((one) => one.id === subjectId);
  if (subject === undefined) throw new RangeError(`no subject is called ${subjectId}`);
  const { styles = [], preloads = [], scripts = [] } = assets ?? {};
  const bodyTemplate = subject.renderBody(scene, id);
  const valueByPlaceholder: Readonly<Record<string, string>> = {
    '{{initial}}': JSON.stringify(makeCheckout(id)),
    '{{tag}}': bodyTemplate.includes('{{tag}}') ? await renderServerTag(makeCheckout(id)) : '',
    '{{options}}': options
      .map(({ name, id }) => `<label><input type="radio" name="m" value="${id}">${name ?? ''}</label>`)
      .join(''),
    '{{qr}}': await QRCode.toString(qrLink, { type: 'svg', width: 320, errorCorrectionLevel: 'M' }),
  };
  const body = Object.entries(valueByPlaceholder).reduce(
    (text, [placeholder, value]) => text.replace(placeholder, () => value),
    bodyTemplate,
  );
  const head = [
    ...styles.map((href) => `<link rel="stylesheet" href="${href}">`),
    ...scripts.map((src) => `<script type="module" src="${src}"></script>`),
    ...(subject.announcesJson ? [`<link rel="preload" as="fetch" crossorigin href="/checkout/${id}">`] : []),
    ...preloads.map((href) => `<link rel="modulepreload" href="${href}">`),
  ].join('');
  return `<!doctype html><html lang="ru"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Pay</title><link rel="icon" href="data:,">${head}</head>
<body>${body}</body></html>`;
}

/** What Adyen's components request: the shop's answers, and calls of Adyen's own servers. */
function addPeerRoutes(app: Hono): void {
  const qrAction = {
    type: 'qrCode',
    paymentMethodType: 'promptpay',
    paymentData: 'Ab02b4c0!'.repeat(20),
    qrCodeData: encodeURIComponent(qrLink),
  };
  const paymentMethods = [
    { type: 'promptpay', name: 'PromptPay' },
    { type: 'swish', name: 'Swish' },
    { type: 'bankTransfer_IBAN', name: 'Bank transfer' },
  ];
  app.get('/peer/adyen/methods', (c) => c.json({ paymentMethods }));
  app.post('/peer/adyen/payments', (c) => c.json({ resultCode: 'Pending', action: qrAction }));
  app.get('/peer/adyen/action', (c) => c.json({ action: qrAction }));
  app.all('/adyen/*', async (c) => {
    const { path } = c.req;
    if (path.endsWith('/status')) return c.json({ resultCode: 'pending', type: 'complete' });
    if (path.endsWith('/analytics')) return c.json({ id: randomUUID() });
    if (path.endsWith('/dfp.1.0.0.html')) return c.html('<!doctype html><title>dfp</title>');
    if (path.endsWith('.svg'))
      return c.body('<svg xmlns="http://www.w3.org/2000/svg" width="40" height="26"><rect width="40" height="26" rx="3"/></svg>', 200, { 'content-type': 'image/svg+xml' }); // prettier-ignore
    if (!path.endsWith('/barcode.png')) return c.notFound();
    const code = await QRCode.toBuffer(c.req.query('data') ?? '', { width: 320, errorCorrectionLevel: 'M' });
    return c.body(new Uint8Array(code), 200, { 'content-type': 'image/png' });
  });
}

/** Creates the app. The keys of `assets` are the ids of the subjects. */
function createApp(assets: ReadonlyMap<string, Assets>): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    const isFile = c.req.path.startsWith('/assets/') || /\.(?:svg|html)$/.test(c.req.path);
    if (!isFile) await sleep(serverDelayMs);
    const { status, headers } = c.res;
    if (status === 404) console.error(`the bench has no response to ${c.req.method} ${c.req.path}`);
    headers.set('cache-control', 'no-store');
    if (status === 304) return;
    const content = Buffer.from(await c.res.arrayBuffer());
    const isZipped = !headers.has('content-encoding') && /text|json|svg/.test(headers.get('content-type') ?? '');
    const body = new Uint8Array(isZipped ? gzipSync(content) : content);
    if (isZipped) headers.set('content-encoding', 'gzip');
    headers.set('content-length', String(body.length));
    c.res = new Response(body, { status, headers });
  });

  app.get('/assets/:subject/:file{.+}', (c) => {
    const asset = assets.get(c.req.param('subject'))?.files.get(c.req.param('file'));
    if (asset === undefined) return c.notFound();
    return c.body(new Uint8Array(asset.compressed), 200, { 'content-type': asset.type, 'content-encoding': 'br' });
  });

  app.all('/page/:subject/:scene', async (c) => {
    const subject = c.req.param('subject');
    const id = findOrCreateCheckoutId(c.req.query('visit'));
    // The response to the form of the static page is the page with the QR.
    const scene = c.req.method === 'POST' ? 'resume' : scenes.find((one) => one === c.req.param('scene'));
    sceneByCheckout.set(id, scene ?? 'choose');
    if (subject !== 'pay-page') return c.html(await renderPage(subject, scene ?? 'choose', id, assets.get(subject)));
    const request = new Request(`http://bench/pay/${id}`, { headers: c.req.raw.headers });
    return (await (payPage ??= createPayPage()))(request, { address: undefined });
  });

  app.get('/checkout/:id', async (c) => {
    const id = c.req.param('id');
    const etag = `"${String(sceneByCheckout.get(id))}"`;
    if (c.req.header('if-none-match') !== etag) return c.json(makeCheckout(id), 200, { etag });
    const [, seconds = '0'] = /wait=(\d+)/.exec(c.req.header('prefer') ?? '') ?? [];
    await sleep(Number(seconds) * 1000);
    return c.body(null, 304, { etag });
  });
  app.post('/checkout/:id/invoice', (c) => {
    const id = c.req.param('id');
    sceneByCheckout.set(id, 'resume');
    return c.json(makeCheckout(id), 201, { etag: '"resume"' });
  });
  addPeerRoutes(app);
  return app;
}

export interface BenchServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Starts on a free port. The keys of `assets` are the ids of the subjects. */
export async function startBenchServer(assets: ReadonlyMap<string, Assets>): Promise<BenchServer> {
  const app = createApp(assets);
  const server = createServer(toNodeListener({ handle: (request) => Promise.resolve(app.fetch(request)) }));
  const { endpoint: url, close } = await listen(server, '');
  return { url, close };
}
