// The one server of the bench: pages, assets, and plausible answers to every subject's calls, all after the same delay.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { render } from '@lit-labs/ssr';
import { collectResult } from '@lit-labs/ssr/lib/render-result.js';
import QRCode from 'qrcode';
import type { Checkout, PaymentOption } from '../../src/protocol.ts';
import { cardOption, sbpOption, makeInvoice, makeOpenCheckout, transferOption } from '../support/checkout-responses.ts';
import type * as ssr from '../../src/ssr.ts';
import type { Assets } from './build-subjects.ts';
import { subjects, type Scene, type Subject } from './subjects.ts';

/** The simulated time that a server works on each call, in ms. */
export const serverDelayMs = 50;

/** The text of every QR but that of bitcoin-connect. */
export const link =
  'https://qr.nspk.ru/AD100004BAL7227F9BNP6KNE007J9B3K?type=02&bank=100000000007&sum=150000&cur=RUB&crc=AB75';

/** An invoice of the Lightning network: an example of its specification (BOLT 11). */
export const bolt11 =
  'lnbc2500u1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpuaztrnwngzn3kdzw5hydlzf03qdgm2hdq27cqv3agm2awhz5se903vruatfhq77w3ls4evs3ch9zw97j25emudupq63nyw24cg27h2rspfj9srp';

const options: readonly PaymentOption[] = [
  sbpOption,
  cardOption,
  { ...transferOption, name: 'Перевод по реквизитам', available: true },
];

/** Whether each checkout has a waiting invoice, by the checkout's id. */
const waiting = new Map<string, boolean>();

function checkoutOf(id: string): Checkout {
  if (waiting.get(id) !== true) return makeOpenCheckout({ id, options: [...options] });
  const invoice = makeInvoice({ nspk_url: link, bank: { name: 'Тестбанк' } });
  return makeOpenCheckout({ id, status: 'pending', options: [], invoice });
}

const promptPay = { paymentMethodType: 'promptpay', paymentData: 'Ab02b4c0!'.repeat(20) };
const action = { type: 'qrCode', ...promptPay, qrCodeData: encodeURIComponent(link) };
const methods = [
  { type: 'promptpay', name: 'PromptPay' },
  { type: 'swish', name: 'Swish' },
  { type: 'bankTransfer_IBAN', name: 'Bank transfer' },
];
const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="26"><rect width="40" height="26" rx="3"/></svg>';

interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly body?: string | Buffer;
  readonly zipped?: Buffer;
  /** The delay of the answer in ms. */
  readonly after?: number;
  readonly etag?: string;
}

const json = (value: unknown, status = 200): Answer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(value),
});

/** The checkout API, for our widget and for the Lit floor. */
function checkoutApi(request: IncomingMessage, id: string, create: boolean): Answer {
  if (create) waiting.set(id, true);
  const etag = `"${String(waiting.get(id))}"`;
  if (request.headers['if-none-match'] === etag) {
    const [, seconds = '0'] = /wait=(\d+)/.exec(String(request.headers['prefer'])) ?? [];
    return { status: 304, etag, after: Number(seconds) * 1000 };
  }
  return { ...json(checkoutOf(id), create ? 201 : 200), etag };
}

/** The tag as a server renders it, by the package's own build: its styles are minified. */
async function serverTag(checkout: Checkout): Promise<string> {
  const { payInvoiceTemplate } = (await import(new URL('../../dist/lib/ssr.js', import.meta.url).href)) as typeof ssr;
  return collectResult(render(await payInvoiceTemplate({ initial: checkout, lang: 'ru', method: 'pm_sbp' })));
}

/** The checkouts by visit: a second visit has the checkout of the first. */
const checkouts = new Map<string, string>();

function checkoutOfVisit(visit: string | null): string {
  const id = checkouts.get(visit ?? '') ?? `chk_${randomUUID()}`;
  if (visit !== null) checkouts.set(visit, id);
  return id;
}

/** The links of the snippet for a page: those of the payment screens only where an invoice waits. */
const announced = (announces: Subject['announces'], scene: Scene, id: string, { links }: Assets): readonly string[] =>
  links
    .filter((link) => scene === 'resume' || !/payment-part|qr-drawing/.test(link))
    .filter((link) => announces === 'files and JSON' || (announces === 'files' && !link.includes('as="fetch"')))
    .map((link) => link.replace('CHECKOUT', id));

const noAssets: Assets = { links: [], scripts: [], preloads: [], styles: [], files: new Map() };

async function page(
  subject: string,
  scene: Scene,
  visit: string | null,
  assets: ReadonlyMap<string, Assets>,
): Promise<Answer> {
  const found = subjects.find(({ id }) => id === subject);
  if (found === undefined) return json({}, 404);
  const id = checkoutOfVisit(visit);
  waiting.set(id, scene === 'resume');
  const own = assets.get(subject) ?? noAssets;
  const { styles, preloads, scripts } = own;
  const written = found.body(scene, id);
  const fills: Readonly<Record<string, string>> = {
    '{{initial}}': JSON.stringify(checkoutOf(id)),
    '{{tag}}': written.includes('{{tag}}') ? await serverTag(checkoutOf(id)) : '',
    '{{options}}': options
      .map(({ name, id }) => `<label><input type="radio" name="m" value="${id}">${name ?? ''}</label>`)
      .join(''),
    '{{qr}}': await QRCode.toString(link, { type: 'svg', width: 320, errorCorrectionLevel: 'M' }),
  };
  const body = Object.entries(fills).reduce((text, [hole, fill]) => text.replace(hole, () => fill), written);
  const head = [
    ...announced(found.announces, scene, id, own),
    ...styles.map((href) => `<link rel="stylesheet" href="${href}">`),
    ...scripts.map((src) => `<script type="module" src="${src}"></script>`),
    ...preloads.map((href) => `<link rel="modulepreload" href="${href}">`),
  ].join('');
  return {
    type: 'text/html; charset=utf-8',
    body: `<!doctype html><html lang="ru"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Pay</title><link rel="icon" href="data:,">${head}</head>
<body>${body}</body></html>`,
  };
}

async function answer(request: IncomingMessage, assets: ReadonlyMap<string, Assets>): Promise<Answer> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://bench');
  const [first = '', second = '', third = '', ...rest] = pathname.slice(1).split('/');
  const delayed = { after: serverDelayMs };
  if (first === 'assets') {
    const asset = assets.get(second)?.files.get([third, ...rest].join('/'));
    return asset ?? json({}, 404);
  }
  if (first === 'page') {
    // A static page's form is answered by the page that has the QR.
    const scene = third === 'resume' || request.method === 'POST' ? 'resume' : 'choose';
    return { ...delayed, ...(await page(second, scene, searchParams.get('visit'), assets)) };
  }
  if (first === 'checkout') return { ...delayed, ...checkoutApi(request, second, third === 'invoice') };
  if (first === 'peer' && second === 'invoice') return { ...delayed, ...json({ link, bolt11, paid: false }) };
  if (first === 'peer' && third === 'methods') return { ...delayed, ...json({ paymentMethods: methods }) };
  if (first === 'peer' && third === 'payments') return { ...delayed, ...json({ resultCode: 'Pending', action }) };
  if (first === 'peer' && third === 'action') return { ...delayed, ...json({ action }) };
  if (pathname.endsWith('/status')) return { ...delayed, ...json({ resultCode: 'pending', type: 'complete' }) };
  if (pathname.endsWith('/barcode.png')) {
    const body = await QRCode.toBuffer(searchParams.get('data') ?? '', { width: 320, errorCorrectionLevel: 'M' });
    return { ...delayed, type: 'image/png', body };
  }
  if (pathname.endsWith('/analytics')) return { ...delayed, ...json({ id: randomUUID() }) };
  if (pathname.endsWith('/dfp.1.0.0.html'))
    return { type: 'text/html; charset=utf-8', body: '<!doctype html><title>dfp</title>' };
  if (pathname.endsWith('.svg')) return { type: 'image/svg+xml', body: logo };
  return json({}, 404);
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  assets: ReadonlyMap<string, Assets>,
): Promise<void> {
  request.resume();
  const { status = 200, type = 'text/plain', body = '', after = 0, etag, ...given } = await answer(request, assets);
  if (status === 404) console.error(`the bench has no answer to ${request.method ?? ''} ${request.url ?? ''}`);
  if (after > 0) await sleep(after);
  const zipped = given.zipped ?? (/text|json|svg/.test(type) && body !== '' ? gzipSync(body) : undefined);
  const bytes = zipped ?? Buffer.from(body);
  response.writeHead(status, {
    'Cache-Control': 'no-store',
    ...(status === 304 ? {} : { 'Content-Type': type, 'Content-Length': bytes.length }),
    ...(zipped ? { 'Content-Encoding': 'gzip' } : {}),
    ...(etag === undefined ? {} : { ETag: etag }),
  });
  response.end(bytes);
}

export interface BenchServer {
  readonly url: string;
  readonly close: () => void;
}

/** Starts on a free port. `assets` are by subject. */
export async function startBenchServer(assets: ReadonlyMap<string, Assets>): Promise<BenchServer> {
  const server = createServer((request, response) => void respond(request, response, assets));
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
