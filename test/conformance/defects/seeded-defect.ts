import type { Problem } from '../../../src/protocol.ts';
import type { Defect, BackendChanges } from '../run-in-process.ts';

/** A defect of a backend, which breaks one rule, and the check that must report it. */
export interface SeededDefect {
  readonly check: string;
  readonly defect: string;
  readonly changes: () => BackendChanges;
  /** Other checks to run, because this check reads their exchanges. */
  readonly with?: readonly string[];
}

export type Body = Record<string, unknown>;

export const isRead = ({ method, url }: Request): boolean => method === 'GET' && /\/checkout\/[^/]*$/.test(url);
export const isWrite = ({ method, url }: Request): boolean => method === 'POST' && url.endsWith('/invoice');
export const isHook = ({ url }: Request): boolean => url.includes('/hook/');
export const isAny = (): boolean => true;

/** The capability in the URL of a request. */
export const capabilityOf = ({ url }: Request): string => /\/checkout\/([^/?]*)/.exec(url)?.[1] ?? '';

/** A defect that changes requests or answers. `make` is called for each run, so that runs share no state. */
export function responseDefect(
  check: string,
  defect: string,
  make: () => Defect,
  ...others: readonly string[]
): SeededDefect {
  return { check, defect, changes: () => ({ intercept: make() }), with: others };
}

/** Changes some requests. */
export function onRequest(
  isCovered: (request: Request) => boolean,
  change: (request: Request) => Request,
): () => Defect {
  return () => (request, next) => next(isCovered(request) ? change(request) : request);
}

/** Changes some answers. */
export function onAnswer(
  isCovered: (request: Request, response: Response) => boolean,
  change: (response: Response, request: Request) => Response | Promise<Response>,
): () => Defect {
  return () => async (request, next) => {
    const response = await next(request);
    return isCovered(request, response) ? change(response, request) : response;
  };
}

/** Changes the checkouts in the answers to some requests. */
export function onCheckout(
  isCovered: (request: Request) => boolean,
  change: (body: Body, request: Request) => Body,
): () => Defect {
  const isCheckout = (request: Request, { status }: Response): boolean =>
    isCovered(request) && status >= 200 && status < 300;
  return onAnswer(isCheckout, async (response, request) => {
    const text = await response.text();
    return text === '' ? response : jsonAnswer(response, change(bodyIn(text), request));
  });
}

/** Changes the invoice, where there is one, in the checkouts of the answers to some requests. */
export function onInvoice(isCovered: (request: Request) => boolean, change: (invoice: Body) => Body): () => Defect {
  return onCheckout(isCovered, (body) =>
    isBody(body['invoice']) ? { ...body, invoice: change(body['invoice']) } : body,
  );
}

/** The same answer with another body. */
export function jsonAnswer({ status, headers }: Response, body: Body): Response {
  return new Response(JSON.stringify(body), { status, headers });
}

/** The same answer with another status. */
export function withStatus(response: Response, status: number): Response {
  const body = [204, 304].includes(status) ? null : response.body;
  return new Response(body, { status, headers: response.headers });
}

/** The same answer with other headers; undefined removes a header. */
export function withHeaders(response: Response, changes: Readonly<Record<string, string | undefined>>): Response {
  return new Response(response.body, { status: response.status, headers: changed(response.headers, changes) });
}

/** The same request with other headers; undefined removes a header. */
export function requestWithHeaders(request: Request, changes: Readonly<Record<string, string | undefined>>): Request {
  return new Request(request, { headers: changed(request.headers, changes) });
}

function changed(headers: Headers, changes: Readonly<Record<string, string | undefined>>): Headers {
  const next = new Headers(headers);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined) next.delete(name);
    else next.set(name, value);
  return next;
}

/** The same request with another URL. */
export function requestWithUrl(request: Request, url: string): Request {
  const isBodiless = request.method === 'GET';
  return new Request(url, {
    method: request.method,
    headers: request.headers,
    ...(!isBodiless && { body: request.body, duplex: 'half' }),
  });
}

/** Changes the bodies of writes; a body that is not a JSON object is not changed. */
export function onBody(change: (body: Body, request: Request) => Body): () => Defect {
  return () => async (request, next) => {
    if (!isWrite(request)) return next(request);
    const text = await request.text();
    const { url, method, headers } = request;
    const body = bodyIn(text);
    const sent = Object.keys(body).length === 0 ? text : JSON.stringify(change(body, request));
    return next(new Request(url, { method, headers, body: sent }));
  };
}

export function bodyIn(text: string): Body {
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

/** A body without one member. */
export function without(body: Body, name: string): Body {
  return Object.fromEntries(Object.entries(body).filter(([key]) => key !== name));
}

/** A problem document as an answer. */
export function problem(status: number, code: Problem['code'], more: Body = {}): Response {
  const document = { type: 'about:blank', title: 'no', status, code, ...more };
  return Response.json(document, {
    status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
  });
}
