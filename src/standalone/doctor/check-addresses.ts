import { z } from 'zod';
import { readBody } from '../../base/read-limited-body.ts';
import { maxResponseBytes } from '../../base/text-limits.ts';
import { fetchPaymentOptionsResponse, operationPath } from '../../service-api.ts';
import { hostOf, isLoopback } from '../environment/read-variables.ts';
import type { ServerEnvironment } from '../environment/server-environment.ts';
import { describeFailure } from '../outcome-webhook.ts';

/** The result of a check, printed as one line. `text` contains the advice when `level` is not `ok`, and never a secret. */
export interface CheckResult {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly subject: string;
  readonly text: string;
}

/** Returns the time in milliseconds since 1970. */
type Now = () => number;

/** A result that holds where its condition is true. */
type Row = readonly [applies: boolean, level: CheckResult['level'], text: string];

/** The first row that applies; the last one always does. */
function firstRow(subject: string, rows: readonly Row[]): CheckResult {
  const [, level, text] = rows.find(([applies]) => applies) ?? [true, 'fail', ''];
  return { level, subject, text };
}

/** A response. */
interface Answer {
  /** Why there is no response: `timeout`, or a code such as ECONNREFUSED. */
  readonly failure: string | undefined;
  /** 0 without a response. */
  readonly status: number;
  /** The body, if it is JSON. */
  readonly json: unknown;
  /** How far this machine's clock is ahead of the one in `Date`, in milliseconds; NaN without that header. */
  readonly aheadMs: number;
}

const requestTimeoutMs = 10_000;

/** Sends one request without following redirects, and reads the response. */
async function sendRequest(url: string, init: RequestInit, now: Now): Promise<Answer> {
  const signal = AbortSignal.timeout(requestTimeoutMs);
  try {
    const sentAt = now();
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    const receivedAt = (sentAt + now()) / 2;
    const json = parseJson(await readBody(response, maxResponseBytes, signal));
    // `Date` is rounded down to a second.
    const aheadMs = receivedAt - (Date.parse(response.headers.get('date') ?? '') + 500);
    return { failure: undefined, status: response.status, json, aheadMs };
  } catch (error) {
    return { failure: describeFailure(error, signal), status: 0, json: undefined, aheadMs: Number.NaN };
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Requests the payment options, which changes nothing. Checks whether the service answers, whether it accepts the token, and
 * how far its clock differs.
 */
export async function checkService(
  { serviceUrl, token }: Pick<ServerEnvironment, 'serviceUrl' | 'token'>,
  now: Now,
): Promise<readonly CheckResult[]> {
  if (serviceUrl === undefined)
    return [{ level: 'warn', subject: 'service', text: 'a trial with a sandbox: no money moves until INVOICE_BASE_URL is set' }]; // prettier-ignore
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: '{}' };
  const answer = await sendRequest(`${serviceUrl}${operationPath('FetchPaymentOptions')}`, init, now);
  const { failure = '', status, aheadMs } = answer;
  const { origin } = new URL(serviceUrl);
  const isRefused = status === 401 || status === 403;
  const parsed = fetchPaymentOptionsResponse.safeParse(answer.json);
  const methodCount = status === 200 && parsed.success ? parsed.data.options.length : undefined;
  const differenceMs = Math.abs(aheadMs);
  const difference = `is ${Math.round(differenceMs / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the service’s: set it by NTP`;
  // prettier-ignore
  const results = [
    firstRow('service', [
      [failure !== '', 'fail', `${origin} cannot be reached (${failure}): check INVOICE_BASE_URL, and the network from here`],
      [methodCount === 0, 'warn', `${origin} has no payment methods: ask its provider to enable one`],
      [methodCount !== undefined, 'ok', `${origin} answers; payment methods: ${methodCount ?? 0}`],
      [isRefused, 'ok', `${origin} answers`],
      [status === 429, 'warn', `${origin} answers with HTTP 429: its rate limit is reached; try again later`],
      [status >= 500, 'fail', `${origin} answers with HTTP ${status}: try again later, or ask its provider`],
      [true, 'fail', `${origin} answers with ${status === 200 ? 'no payment options' : `HTTP ${status}`}: check the address in INVOICE_BASE_URL`],
    ]),
    firstRow('token', [
      [isRefused, 'fail', `the service refuses it with HTTP ${status}: set INVOICE_ACCESS_TOKEN to the token of this service`],
      [methodCount !== undefined, 'ok', 'the service accepts it'],
      [true, 'warn', 'was not checked: the service does not answer as it should'],
    ]),
    firstRow('clock', [
      [Number.isNaN(aheadMs), 'warn', 'was not compared: the service sends no Date; keep it right by NTP'],
      [differenceMs <= 5000, 'ok', 'agrees with the service’s within 5 s'],
      [differenceMs <= 60_000, 'warn', difference],
      [true, 'fail', difference],
    ]),
  ];
  return failure === '' ? results : results.slice(0, 2);
}

/** The path of a webhook that belongs to no order. This server answers a GET of it with a 405 that no other program sends. */
const unknownWebhookPath = '/checkout/hook/ZG9jdG9y/no-secret-at-all';
const methodRefusalSchema = z.object({ code: z.literal('invalid_request'), status: z.literal(405) });

/** Requests the URL of a webhook under `PUBLIC_URL` from this machine, and checks that a checkout server responds. */
export async function checkPublicUrl(
  { publicUrl, serviceUrl }: Pick<ServerEnvironment, 'publicUrl' | 'serviceUrl'>,
  now: Now,
): Promise<CheckResult> {
  if (publicUrl === undefined)
    return firstRow('public URL', [
      [serviceUrl === undefined, 'ok', 'is not needed in a trial'],
      [true, 'warn', 'PUBLIC_URL is not set: browsers and notifications come to where the server listens'],
    ]);
  const { failure = '', status, json } = await sendRequest(`${publicUrl}${unknownWebhookPath}`, {}, now);
  const { origin } = new URL(publicUrl);
  const isOnlyHere = serviceUrl !== undefined && isLoopback(hostOf(publicUrl)) && !isLoopback(hostOf(serviceUrl));
  // prettier-ignore
  return firstRow('public URL', [
    [failure === 'ECONNREFUSED', 'warn', `nothing listens at ${origin}: start the server, then check again`],
    [failure !== '', 'fail', `${origin} cannot be reached from here (${failure}): check PUBLIC_URL, DNS, the certificate and the proxy`],
    [[502, 503, 504].includes(status), 'warn', `the proxy at ${origin} answers with HTTP ${status}: start the server, then check again`],
    [!methodRefusalSchema.safeParse(json).success, 'fail', `${origin} answers with HTTP ${status}, and not from this server: pass /checkout/ with all methods to it`],
    [isOnlyHere, 'warn', `${origin} is this machine: the service cannot notify it, and payers cannot open it`],
    [true, 'ok', `webhooks to ${origin} arrive, from here; the service must reach it too`],
  ]);
}

/** Sends a GET without a signature and without an outcome to the receiver of outcomes, which must refuse the request. */
export async function checkReceiver(
  { receiver, isFeedRead }: Pick<ServerEnvironment, 'receiver' | 'isFeedRead'>,
  now: Now,
): Promise<CheckResult> {
  if (receiver === undefined)
    return firstRow('outcomes', [
      [isFeedRead, 'ok', 'are read from the feed: nothing is sent'],
      [true, 'warn', 'OUTCOME_URL is not set: outcomes are not sent; OUTCOME_FEED=1 if they are read from the feed'],
    ]);
  const { failure = '', status } = await sendRequest(receiver.url, {}, now);
  const { origin } = new URL(receiver.url);
  // prettier-ignore
  return firstRow('outcomes', [
    [failure !== '', 'fail', `${origin} cannot be reached (${failure}): check OUTCOME_URL, and start the receiver`],
    [status < 300, 'fail', `${origin} accepts a request without a signature (HTTP ${status}): it must verify signatures`],
    [status < 400, 'fail', `${origin} redirects (HTTP ${status}), which is not followed: set OUTCOME_URL to the last address`],
    [status >= 500, 'fail', `${origin} answers with HTTP ${status}: read the log of the receiver`],
    [status === 404, 'warn', `${origin} answers GET with HTTP 404: right where it takes POST alone, else check the path in OUTCOME_URL`],
    [true, 'ok', `${origin} refuses a request without a signature (HTTP ${status})`],
  ]);
}
