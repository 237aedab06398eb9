// The server of the bench. It serves the subjects' pages and files, and plausible responses to their calls. A page and a call
// take it the same time.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { render } from '@lit-labs/ssr';
import { collectResult } from '@lit-labs/ssr/lib/render-result.js';
import QRCode from 'qrcode';
import type { Checkout, PaymentOption } from '../../src/checkout-api.ts';
import { cardOption, sbpOption, makeInvoice, makeOpenCheckout, transferOption } from '../support/checkout-responses.ts';
import { qrCodeOf } from '../../src/server/domain/present-to-payer.ts';
import type * as ssr from '../../src/ssr.ts';
import type * as standalone from '../../src/standalone.ts';
import type { Assets } from './build-subjects.ts';
import { scenes, subjects, type Scene } from './subjects.ts';

/** The simulated time that a server works on each page and each call, in ms. */
export const serverDelayMs = 50;

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

const promptPay = { paymentMethodType: 'promptpay', paymentData: 'Ab02b4c0!'.repeat(20) };
const qrAction = { type: 'qrCode', ...promptPay, qrCodeData: encodeURIComponent(qrLink) };
const peerMethods = [
  { type: 'promptpay', name: 'PromptPay' },
  { type: 'swish', name: 'Swish' },
  { type: 'bankTransfer_IBAN', name: 'Bank transfer' },
];
const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="26"><rect width="40" height="26" rx="3"/></svg>';

/** What `sendResponse` needs for a response. */
interface ResponseParts {
  readonly status?: number;
  readonly type?: string;
  readonly body?: string | Buffer;
  /** The body of a script or a style sheet, in brotli. */
  readonly compressed?: Buffer;
  /** More headers, and those that replace the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the server waits before it responds. */
  readonly delayMs?: number;
  readonly etag?: string;
}

const makeJsonResponse = (value: unknown, status = 200): ResponseParts => ({
  status,
  type: 'application/json',
  body: JSON.stringify(value),
});

/** Makes a response of the checkout API, which the widget and the Lit floor use. */
function makeCheckoutResponse(request: IncomingMessage, id: string, isCreate: boolean): ResponseParts {
  if (isCreate) sceneByCheckout.set(id, 'resume');
  const etag = `"${String(sceneByCheckout.get(id))}"`;
  if (request.headers['if-none-match'] === etag) {
    const [, seconds = '0'] = /wait=(\d+)/.exec(String(request.headers['prefer'])) ?? [];
    return { status: 304, etag, delayMs: Number(seconds) * 1000 };
  }
  return { ...makeJsonResponse(makeCheckout(id), isCreate ? 201 : 200), etag };
}

/** Renders the tag on the server with the package's build, because only its styles are minified. */
async function renderServerTag(checkout: Checkout): Promise<string> {
  const { payInvoiceTemplate } = (await import(new URL('../../dist/lib/ssr.js', import.meta.url).href)) as typeof ssr;
  return collectResult(render(await payInvoiceTemplate({ initial: checkout, lang: 'ru', method: 'pm_sbp' })));
}

let payPage: Promise<standalone.PayPage> | undefined;

/** Serves the pay page of the package's build, without a database. */
async function createPayPage(): Promise<standalone.PayPage> {
  const url = new URL('../../dist/lib/standalone.js', import.meta.url).href;
  const { createPayPage } = (await import(url)) as typeof standalone;
  return createPayPage({
    checkouts: {
      handle: ({ url }) => Promise.resolve(Response.json(makeCheckout(new URL(url).pathname.split('/').at(-1) ?? ''))),
    },
    endpoint: 'http://bench/checkout',
    widget: '/assets/pay-page/pay-invoice.js',
  });
}

/** The id of the checkout of each visit. A repeated navigation in one visit gets the same checkout. */
const checkoutIdByVisit = new Map<string, string>();

function findOrCreateCheckoutId(visit: string | null): string {
  const id = checkoutIdByVisit.get(visit ?? '') ?? `chk_${randomUUID()}`;
  if (visit !== null) checkoutIdByVisit.set(visit, id);
  return id;
}

const emptyAssets: Assets = { scripts: [], preloads: [], styles: [], files: new Map() };

async function renderPage(
  subjectId: string,
  scene: Scene,
  visit: string | null,
  assets: ReadonlyMap<string, Assets>,
): Promise<ResponseParts> {
  const subject = subjects.find(({ id }) => id === subjectId);
  if (subject === undefined) return makeJsonResponse({}, 404);
  const id = findOrCreateCheckoutId(visit);
  sceneByCheckout.set(id, scene);
  const subjectAssets = assets.get(subjectId) ?? emptyAssets;
  const { styles, preloads, scripts } = subjectAssets;
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
  return {
    type: 'text/html; charset=utf-8',
    body: `<!doctype html><html lang="ru"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Pay</title><link rel="icon" href="data:,">${head}</head>
<body>${body}</body></html>`,
  };
}

async function createResponse(request: IncomingMessage, assets: ReadonlyMap<string, Assets>): Promise<ResponseParts> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://bench');
  // Such as /assets/SUBJECT/FILE, /page/SUBJECT/SCENE, /checkout/ID/invoice and /peer/adyen/methods.
  const [area = '', name = '', detail = '', ...remainingSegments] = pathname.slice(1).split('/');
  const serverDelay = { delayMs: serverDelayMs };
  if (area === 'assets') {
    const asset = assets.get(name)?.files.get([detail, ...remainingSegments].join('/'));
    return asset ?? makeJsonResponse({}, 404);
  }
  if (area === 'page' && name === 'pay-page') {
    const id = findOrCreateCheckoutId(searchParams.get('visit'));
    sceneByCheckout.set(id, detail === 'resume' ? 'resume' : 'choose');
    const accepted = String(request.headers['accept-encoding']);
    const headers = { 'accept-encoding': accepted, 'accept-language': String(request.headers['accept-language']) };
    const page = await (
      await (payPage ??= createPayPage())
    )(new Request(`http://bench/pay/${id}`, { headers }), { address: undefined });
    return {
      ...serverDelay,
      headers: Object.fromEntries(page.headers),
      compressed: Buffer.from(await page.arrayBuffer()),
    };
  }
  if (area === 'page') {
    // The response to the form of the static page is the page with the QR.
    const scene = request.method === 'POST' ? 'resume' : (scenes.find((one) => one === detail) ?? 'choose');
    return { ...serverDelay, ...(await renderPage(name, scene, searchParams.get('visit'), assets)) };
  }
  if (area === 'checkout') return { ...serverDelay, ...makeCheckoutResponse(request, name, detail === 'invoice') };
  if (area === 'peer' && detail === 'methods')
    return { ...serverDelay, ...makeJsonResponse({ paymentMethods: peerMethods }) };
  if (area === 'peer' && detail === 'payments')
    return { ...serverDelay, ...makeJsonResponse({ resultCode: 'Pending', action: qrAction }) };
  if (area === 'peer' && detail === 'action') return { ...serverDelay, ...makeJsonResponse({ action: qrAction }) };
  if (pathname.endsWith('/status'))
    return { ...serverDelay, ...makeJsonResponse({ resultCode: 'pending', type: 'complete' }) };
  if (pathname.endsWith('/barcode.png')) {
    const body = await QRCode.toBuffer(searchParams.get('data') ?? '', { width: 320, errorCorrectionLevel: 'M' });
    return { ...serverDelay, type: 'image/png', body };
  }
  if (pathname.endsWith('/analytics')) return { ...serverDelay, ...makeJsonResponse({ id: randomUUID() }) };
  if (pathname.endsWith('/dfp.1.0.0.html'))
    return { type: 'text/html; charset=utf-8', body: '<!doctype html><title>dfp</title>' };
  if (pathname.endsWith('.svg')) return { type: 'image/svg+xml', body: logo };
  return makeJsonResponse({}, 404);
}

async function sendResponse(
  request: IncomingMessage,
  response: ServerResponse,
  assets: ReadonlyMap<string, Assets>,
): Promise<void> {
  request.resume();
  const parts = await createResponse(request, assets);
  const { status = 200, type = 'text/plain', body = '', compressed, delayMs = 0, etag, headers } = parts;
  if (status === 404) console.error(`the bench has no response to ${request.method ?? ''} ${request.url ?? ''}`);
  if (delayMs > 0) await sleep(delayMs);
  const encodedBody = compressed ?? (/text|json|svg/.test(type) && body !== '' ? gzipSync(body) : undefined);
  const bodyBytes = encodedBody ?? Buffer.from(body);
  response.writeHead(status, {
    'cache-control': 'no-store',
    ...(status === 304 ? {} : { 'content-type': type, 'content-length': bodyBytes.length }),
    ...(encodedBody ? { 'content-encoding': compressed ? 'br' : 'gzip' } : {}),
    ...(etag === undefined ? {} : { etag }),
    ...headers,
  });
  response.end(bodyBytes);
}

export interface BenchServer {
  readonly url: string;
  readonly close: () => void;
}

/** Starts on a free port. The keys of `assets` are the ids of the subjects. */
export async function startBenchServer(assets: ReadonlyMap<string, Assets>): Promise<BenchServer> {
  const server = createServer((request, response) => void sendResponse(request, response, assets));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
