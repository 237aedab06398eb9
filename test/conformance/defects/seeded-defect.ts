import type { Problem } from '../../../src/checkout-api.ts';
import type { Defect, BackendChanges } from '../run-conformance-in-process.ts';

/** A backend with a defect, and other checks to run first, because the check examines their exchanges. */
interface BackendWithDefect {
  readonly changes: () => BackendChanges;
  readonly with: readonly string[];
}

/** For each check the defects that it must report: what breaks its rule, and how to make a backend do so. */
export type DefectTable = Readonly<Record<string, Readonly<Record<string, (() => Defect) | BackendWithDefect>>>>;

/** A backend that differs in more than its requests and responses. */
export const backend = (changes: () => BackendChanges): BackendWithDefect => ({ changes, with: [] });

/** A defect that is reported after these checks have run. `createDefect` is called for each run: runs share no state. */
export const after = (checks: readonly string[], createDefect: () => Defect): BackendWithDefect => ({
  changes: () => ({ intercept: createDefect() }),
  with: checks,
});

/** All defects of a table. */
export const listDefects = (table: DefectTable) =>
  Object.entries(table).flatMap(([check, defects]) =>
    Object.entries(defects).map(([defect, value]) => ({
      check,
      defect,
      ...(typeof value === 'function' ? after([], value) : value),
    })),
  );

export type Body = Record<string, unknown>;

export const isRead = ({ method, url }: Request): boolean => method === 'GET' && /\/checkout\/[^/]*$/.test(url);
export const isWrite = ({ method, url }: Request): boolean => method === 'POST' && url.endsWith('/invoice');
export const isWebhook = ({ url }: Request): boolean => url.includes('/hook/');
export const isAnyRequest = (): boolean => true;

/** The capability in the URL of a request. */
export const capabilityOf = ({ url }: Request): string => /\/checkout\/([^/?]*)/.exec(url)?.[1] ?? '';

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

/** Creates a defect that replaces members of the checkout in reads. */
export const readsWith = (members: Body): (() => Defect) => onCheckout(isRead, (body) => ({ ...body, ...members }));

/** Creates a defect that answers the covered requests with a problem document where the status is `from`. */
export const answerInsteadOf = (
  from: number,
  status: number,
  code: Problem['code'],
  isCovered: (request: Request) => boolean = isAnyRequest,
): (() => Defect) =>
  onResponse(
    (request, response) => isCovered(request) && response.status === from,
    () => problem(status, code, status === 500 ? { trace_id: 't' } : {}),
  );

/** Creates a defect that replaces one status of a checkout with another. */
export const replaceStatus = (from: string, to: string): (() => Defect) =>
  onCheckout(isAnyRequest, (body) => (body['status'] === from ? { ...body, status: to } : body));

/** Creates a defect that answers a refused write with 201 and the invoice. */
export const offerInsteadOfRefusal = (invoice: Body) => (): Defect => {
  let lastReadBody: Body = {};
  return async (request, next) => {
    const response = await next(request);
    if (isRead(request)) lastReadBody = parseBody(await response.clone().text());
    if (!isWrite(request) || response.status < 400) return response;
    return Response.json({ ...lastReadBody, status: 'pending', invoice }, { status: 201 });
  };
};

/** Whether the response to a write leaves its result in doubt. */
export const isInDoubt = (request: Request, { status }: Response): boolean =>
  isWrite(request) && (status === 202 || status === 503);

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
