import { hash, randomUUID } from 'node:crypto';
import { raw } from 'hono/html';
import { z } from 'zod';
import { readBody } from '../../base/read-limited-body.ts';
import { retryAfter } from '../../base/retry-after.ts';
import { maxFormBytes, maxIdentifierLength } from '../../base/text-limits.ts';
import { encodeQr } from '../../base/qr-encoder.ts';
import { decodeProblem, invoiceUrl, statusOfProblem } from '../../checkout-api.ts';
import type { CheckoutServer } from '../../server.ts';
import { checkOptions, methodsCheck, originList, strictObject } from '../../server/domain/strict-object.ts';
import { drawQr } from '../../base/qr-modules.ts';
import { acceptedLanguages } from '../accepted-languages.ts';
import { acceptedEncoding, compressAs, quickQuality } from '../compress.ts';
import { inlineSource } from '../security-headers.ts';
import { maxTypedLength, readTyped } from './choosing-screen.ts';
import { createPageTranslator, trimLines } from './checkout-markup.ts';
import { cardFile, createCardHandler, previewPicture } from './link-card.ts';
import { pageScript } from './page-script.ts';
import { pageStyle } from './page-style.ts';
import type { PageFrame, Shop } from './page-parts.ts';
import { qrSvg } from './pay-page-screens.ts';
import { checkoutPage, messagePage } from './render-page.ts';
import { payPageHeaders, statusPolicy } from './page-headers.ts';
import { statusPage } from './status-page.ts';
import { languages } from './shop-footer.ts';
import { accentSchema, shopSchema } from './shop-schema.ts';
import { universalQrTexts } from './universal-qr-texts.ts';

export interface PayPageOptions {
  readonly checkouts: Pick<CheckoutServer, 'handle' | 'view'>;
  /**
   * The `endpoint` of the checkout server: `https://shop.example/checkout`. The pages are beside it, at
   * `https://shop.example/pay/{capability}`.
   */
  readonly endpoint: string;
  /** The address of the widget's file, `/pay-invoice.js` beside the endpoint by default. */
  readonly widget?: string | undefined;
  /** The name and the logo that payers see. */
  readonly shop?: Shop | undefined;
  /** The shop's colour, such as `#3451d1`. Links and icons have it darker or lighter where it could not be read. */
  readonly accent?: string | undefined;
  /**
   * The origins whose pages may show the page in a frame, such as `https://shop.example`; none by default. The page tells them its height and what
   * has become of the payment (docs/standalone-server.md, "In a frame of your site").
   */
  readonly frameAncestors?: readonly string[] | undefined;
  /** Whether a page has the QR code of its own address, for the payer's phone and for paper; true by default. */
  readonly pageQr?: boolean | undefined;
  /**
   * Whether the service's links are universal payment codes (docs/assumptions.md): the page then says “by QR code” where it says
   * “SBP” otherwise; false by default.
   */
  readonly universalQr?: boolean | undefined;
}

const optionsSchema = strictObject({
  checkouts: z.custom<PayPageOptions['checkouts']>(methodsCheck('handle', 'view'), 'must be the checkout server'),
  endpoint: z.url('must be an address such as https://shop.example/checkout'),
  widget: z.string().optional(),
  shop: shopSchema.default({}),
  accent: accentSchema,
  frameAncestors: originList,
  pageQr: z.boolean().default(true),
  universalQr: z.boolean().default(false),
} satisfies Record<keyof PayPageOptions, z.ZodType>);

/** Serves `/pay/{capability}`, in a language that the payer has chosen `/pay/{capability}/{language}`, and `/pay/{capability}/qr.svg`. `address` is the client's IP address, for rate limits. */
export type PayPage = (request: Request, client: { readonly address: string | undefined }) => Promise<Response>;

/** The end of a path, so that any prefix works. */
const pathPattern = /\/pay\/(chk_[\w-]{22,100})(?:\/([a-z]{2}))?(\/qr\.svg)?$/;

/** What the address of a request says. */
interface Target {
  /** Undefined: there is no such page. */
  readonly capability: string | undefined;
  /** The language that the payer has chosen in the footer: `?lang=`, and the end of the path that all links of that page then have. */
  readonly language: string | undefined;
  readonly isQr: boolean;
  /** Whether it is the picture of a link to any of the pages. */
  readonly isCard: boolean;
  readonly query: URLSearchParams;
}

function targetOf({ url }: Request): Target {
  const { pathname, searchParams: query } = new URL(url);
  const [, capability, tag, qr] = pathPattern.exec(pathname) ?? [];
  const language = [query.get('lang'), tag].find((one) => one != null && Object.hasOwn(languages, one)) ?? undefined;
  return { capability, language, isQr: qr !== undefined, isCard: pathname.endsWith(`/pay/${cardFile}`), query };
}

/** Browsers that darken pages leave the image as it is, so that it can be scanned. */
const qrStyle = ':root{color-scheme:light dark}';

const formTimeoutMs = 10_000;

/**
 * A page of the shop's own for each checkout: without script, with the widget where there is a script.
 * @throws CheckoutOptionsError for wrong or unknown options
 * @example
 * ```ts
 * import { createPayPage } from 'pay-invoice/standalone';
 *
 * const payPage = createPayPage({ checkouts, endpoint, shop: { name: 'Leaf & Clay' } });
 * const { capability } = await checkouts.create({ orderId: '1001', amount: '1500.00', currency: 'RUB' });
 * await payPage(new Request(`https://shop.example/pay/${capability}`), { address: '203.0.113.7' });
 * ```
 */
export function createPayPage(options: PayPageOptions): PayPage {
  const known = checkOptions(optionsSchema, options);
  const { checkouts, endpoint, widget, shop, accent, frameAncestors, pageQr, universalQr } = known;
  const style = pageStyle(accent, shop);
  const script = pageScript({ frameAncestors, universalQr, bankLinks: shop.bankLinks });
  const endpointPath = new URL(endpoint).pathname;
  const widgetUrl = widget ?? endpointPath.replace(/(?<=\/)[^/]*\/?$/, 'pay-invoice.js');
  const pagesUrl = `${endpoint.replace(/\/[^/]*\/?$/, '')}/pay/`;
  const previewUrl = previewPicture(shop.logoUrl, pagesUrl);
  const serveCard = createCardHandler(accent);
  const pictures = [shop.logoUrl, ...Object.values(shop.methodLogos ?? {})];
  const headers = payPageHeaders({ endpoint, style, widgetUrl, pictures, script, frameAncestors });
  // The path of a request is not used for addresses: a proxy may have removed its beginning.
  const payUrl = (capability: string, language?: string): URL =>
    new URL(`${capability}${language === undefined ? '' : `/${language}`}`, pagesUrl);

  const frameFor = async (request: Request, { language }: Target): Promise<PageFrame> => {
    const tags = [language ?? [], acceptedLanguages(request)].flat();
    const t = await createPageTranslator(tags, universalQr ? universalQrTexts : undefined);
    return { shop, style, script, previewUrl, t };
  };

  const respond = async (request: Request, page: unknown, status: number, more = {}): Promise<Response> => {
    const text = Buffer.from(trimLines(await page));
    const { body, encoding } = await compressAs(acceptedEncoding(request), text, quickQuality);
    return new Response(request.method === 'HEAD' ? null : body, {
      status,
      headers: { ...headers, ...encoding, ...more },
    });
  };

  const cannotPayHere = (request: Request, frame: PageFrame, path: string): Promise<Response> =>
    respond(request, messagePage(frame, 'unreachable.frame-title', 'unreachable.frame-text', path, true), 403);

  const show = async (request: Request, capability: string, target: Target): Promise<Response> => {
    const { query } = target;
    const { href: url, pathname: path } = payUrl(capability, target.language);
    const frame = await frameFor(request, target);
    if (query.has('in-frame')) return cannotPayHere(request, frame, path);
    const isChoosing = query.get('methods') === '1';
    const isChecked = query.get('check') === '1';
    const view = await checkouts.view(capability, { options: isChoosing, check: isChecked && !isChoosing });
    const shown = query.get('status');
    if (shown !== null) {
      // From a page without an origin, a link in a frame may not lead the page around it.
      const leads = request.headers.get('sec-fetch-site') !== 'cross-site';
      const page = statusPage(frame, 'refused' in view ? undefined : view.checkout, leads ? path : undefined, shown);
      return respond(request, page, 200, { 'content-security-policy': statusPolicy });
    }
    if ('refused' in view) {
      if (view.refused === 'not_found') return respond(request, messagePage(frame, 'lost.title', 'lost.text'), 404);
      const kind = view.refused === 'rate_limited' ? 'unreachable.busy' : 'unreachable.shop';
      const page = messagePage(frame, `${kind}-title`, `${kind}-text`, path);
      return respond(request, page, statusOfProblem(view.refused), retryAfter(view.retryAfterMs ?? 5000));
    }
    const { checkout } = view;
    const isPayable = checkout.status !== 'paid' && checkout.status !== 'closed';
    const page = checkoutPage({
      ...frame,
      capability,
      initial: checkout,
      checkout,
      headingLevel: 1,
      isChoosing: isChoosing && isPayable,
      isChecked,
      problem: query.get('problem') ?? undefined,
      typedAmount: query.get('amount')?.slice(0, maxTypedLength) ?? '',
      methodId: query.get('method') ?? '',
      key: randomUUID(),
      path,
      statusUrl: `${path}?status=`,
      url: pageQr ? url : undefined,
      endpoint: endpointPath,
      widget: widgetUrl,
    });
    return respond(request, page, 200);
  };

  /** Asks for an invoice, and sends the browser back to the page: a reload there asks for nothing. */
  const createInvoice = async (
    request: Request,
    capability: string,
    target: Target,
    address: string | undefined,
  ): Promise<Response> => {
    const form = await readForm(request);
    const method = form.get('payment_method_id') ?? '';
    const typed = form.get('amount');
    const { t } = await frameFor(request, target);
    const { amount, fault } = typed === null ? {} : readTyped(typed, null, form.get('currency'), t);
    const { pathname: path } = payUrl(capability, target.language);
    const goBack = (problem?: string): Response => {
      const query = new URLSearchParams({
        ...(form.get('replace') === '1' && { methods: '1' }),
        ...(problem !== undefined && { problem }),
        ...(typed !== null && { amount: typed.slice(0, maxTypedLength) }),
        method: method.slice(0, maxIdentifierLength),
      });
      const location = problem === undefined || shownByState.includes(problem) ? path : `${path}?${query.toString()}`;
      return new Response(null, {
        status: 303,
        headers: { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', location },
      });
    };
    if (fault !== undefined) return goBack(fault);
    const body = JSON.stringify({
      payment_method_id: method,
      ...(amount !== undefined && { amount }),
      ...(form.get('replace') === '1' && { replace: true }),
    });
    // A page that was restored by "back" has the same key: with another choice, it is another request.
    const key = hash('sha256', `${form.get('key') ?? ''}\n${body}`, 'base64url');
    const answer = await checkouts.handle(
      new Request(invoiceUrl(endpoint, capability), {
        method: 'POST',
        headers: { ...originHeaders(request), 'content-type': 'application/json', 'idempotency-key': key },
        body,
      }),
      { address },
    );
    if (answer.status === 403) {
      // A frame with `sandbox` and without `allow-same-origin` has no origin, and may not write.
      return cannotPayHere(request, await frameFor(request, target), path);
    }
    return goBack(answer.ok ? undefined : problemCode(await answer.json().catch(() => undefined)));
  };

  return async (request, { address }) => {
    const target = targetOf(request);
    const { capability, isQr, isCard } = target;
    // A page that nobody looks at yet must create nothing and count as no viewer. The browser loads it again when it is opened.
    if (
      /prefetch|prerender/.test(`${request.headers.get('sec-purpose') ?? ''} ${request.headers.get('purpose') ?? ''}`)
    )
      return new Response(null, { status: 503, headers });
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead && (request.method !== 'POST' || isQr)) {
      const allow = isQr ? 'GET, HEAD' : 'GET, HEAD, POST';
      return new Response(null, { status: 405, headers: { ...headers, allow } });
    }
    if (isRead && isCard) return serveCard(request);
    if (capability === undefined || (isQr && !pageQr)) {
      const frame = await frameFor(request, target);
      return respond(request, messagePage(frame, 'lost.title', 'lost.text'), 404);
    }
    if (isQr) {
      const image = drawQr(encodeQr(payUrl(capability).href));
      const svg = image === undefined ? '' : qrSvg(image, 'QR', 'qr', raw(`<style>${qrStyle}</style>`));
      return respond(request, svg, 200, {
        'content-type': 'image/svg+xml',
        'content-security-policy': `default-src 'none'; style-src ${inlineSource(qrStyle)}`,
      });
    }
    return isRead ? show(request, capability, target) : createInvoice(request, capability, target, address);
  };
}

/**
 * The headers by which the checkout API decides whether the page that sends a form may write. The page's own form has
 * `Origin: null`, because of its `Referrer-Policy: no-referrer`, and `Sec-Fetch-Site: same-origin`. A browser that does not send
 * the latter, or an address without TLS, cannot tell its own form from another's: there the capability in the address decides.
 */
function originHeaders({ headers }: Request): Readonly<Record<string, string>> {
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  const isUnknown = origin === 'null' && (site === null || site === 'none');
  return {
    ...(origin !== null && !isUnknown && { origin }),
    ...(site !== null && { 'sec-fetch-site': site }),
  };
}

/** Problems after which the page shows the state of the checkout, which says what they say. */
const shownByState = ['invoice_pending', 'already_paid', 'checkout_closed', 'not_found'];

function problemCode(body: unknown): string {
  try {
    return decodeProblem(body, 'problem').code;
  } catch {
    return 'try_again';
  }
}

async function readForm(request: Request): Promise<URLSearchParams> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(formTimeoutMs)]);
  try {
    return new URLSearchParams(await readBody(new Response(request.body), maxFormBytes, signal));
  } catch {
    return new URLSearchParams(); // It is no form of the page: the checkout API refuses the request.
  }
}
