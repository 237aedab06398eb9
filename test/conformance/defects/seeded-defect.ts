import type { Problem } from '../../../src/checkout-api.ts';
import type { Defect, BackendChanges } from '../run-conformance-in-process.ts';

/** A defect of a backend, which breaks one rule, and the check that must report it. */
export interface SeededDefect {
  readonly check: string;
  readonly defect: string;
  readonly changes: () => BackendChanges;
  /** Other checks to run first, because this check examines their exchanges. */
  readonly with?: readonly string[];
}

export type Body = Record<string, unknown>;

export const isRead = ({ method, url }: Request): boolean => method === 'GET' && /\/checkout\/[^/]*$/.test(url);
export const isWrite = ({ method, url }: Request): boolean => method === 'POST' && url.endsWith('/invoice');
export const isWebhook = ({ url }: Request): boolean => url.includes('/hook/');
export const isAnyRequest = (): boolean => true;

/** The capability in the URL of a request. */
export const capabilityOf = ({ url }: Request): string => /\/checkout\/([^/?]*)/.exec(url)?.[1] ?? '';

/** A defect that changes requests or responses. `createDefect` is called for each run, so that runs share no state. */
export function seedDefect(
  check: string,
  defect: string,
  createDefect: () => Defect,
  ...otherChecks: readonly string[]
): SeededDefect {
  return { check, defect, changes: () => ({ intercept: createDefect() }), with: otherChecks };
}

/** Creates a defect that changes the covered requests. */
export function onRequest(
  isCovered: (request: Request) => boolean,
  change: (request: Request) => Request,
): () => Defect {
  return () => (request, next) => next(isCovered(request) ? change(request) : request);
}

/** Creates a defect that changes the covered responses. */
export function onResponse(
  isCovered: (request: Request, response: Response) => boolean,
  change: (response: Response, request: Request) => Response | Promise<Response>,
): () => Defect {
  return () => async (request, next) => {
    const response = await next(request);
    return isCovered(request, response) ? change(response, request) : response;
  };
}

/** Creates a defect that changes the checkout in the successful responses to the covered requests. */
export function onCheckout(
  isCovered: (request: Request) => boolean,
  change: (body: Body, request: Request) => Body,
): () => Defect {
  const isCheckout = (request: Request, { status }: Response): boolean =>
    isCovered(request) && status >= 200 && status < 300;
  return onResponse(isCheckout, async (response, request) => {
    const text = await response.text();
    return text === '' ? response : withJsonBody(response, change(parseBody(text), request));
  });
}

/** Creates a defect that changes the invoice in the successful responses to the covered requests. */
export function onInvoice(isCovered: (request: Request) => boolean, change: (invoice: Body) => Body): () => Defect {
  return onCheckout(isCovered, (body) =>
    isBody(body['invoice']) ? { ...body, invoice: change(body['invoice']) } : body,
  );
}

/** Returns the response with another body. */
export function withJsonBody({ status, headers }: Response, body: Body): Response {
  return new Response(JSON.stringify(body), { status, headers });
}

/** Returns the response with another status. */
export function withStatus(response: Response, status: number): Response {
  const body = [204, 304].includes(status) ? null : response.body;
  return new Response(body, { status, headers: response.headers });
}

/** Returns the response with changed headers; undefined removes a header. */
export function withHeaders(response: Response, changes: Readonly<Record<string, string | undefined>>): Response {
  return new Response(response.body, {
    status: response.status,
    headers: applyHeaderChanges(response.headers, changes),
  });
}

/** Returns the request with changed headers; undefined removes a header. */
export function requestWithHeaders(request: Request, changes: Readonly<Record<string, string | undefined>>): Request {
  return new Request(request, { headers: applyHeaderChanges(request.headers, changes) });
}

function applyHeaderChanges(headers: Headers, changes: Readonly<Record<string, string | undefined>>): Headers {
  const changedHeaders = new Headers(headers);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined) changedHeaders.delete(name);
    else changedHeaders.set(name, value);
  return changedHeaders;
}

/** Returns the request with another URL. */
export function requestWithUrl(request: Request, url: string): Request {
  const hasBody = request.method !== 'GET';
  return new Request(url, {
    method: request.method,
    headers: request.headers,
    ...(hasBody && { body: request.body, duplex: 'half' }),
  });
}

/** Creates a defect that changes the JSON bodies of writes; other bodies stay as they are. */
export function onWriteBody(change: (body: Body, request: Request) => Body): () => Defect {
  return () => async (request, next) => {
    if (!isWrite(request)) return next(request);
    const text = await request.text();
    const { url, method, headers } = request;
    const body = parseBody(text);
    const sentText = Object.keys(body).length === 0 ? text : JSON.stringify(change(body, request));
    return next(new Request(url, { method, headers, body: sentText }));
  };
}

export function parseBody(text: string): Body {
  try {
    const value: unknown = JSON.parse(text);
    return isBody(value) ? value : {};
  } catch {
    return {};
  }
}

export function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the body without one member. */
export function omitMember(body: Body, name: string): Body {
  return Object.fromEntries(Object.entries(body).filter(([key]) => key !== name));
}

/** Creates a response with a problem document. */
export function problem(status: number, code: Problem['code'], otherMembers: Body = {}): Response {
  const document = { type: 'about:blank', title: 'no', status, code, ...otherMembers };
  return Response.json(document, {
    status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
  });
}
