import { maxMessageLength } from '../base/text-limits.ts';

/** The gRPC status codes by number; 0 (ok) is not an error (invoice-service.md §7: the gRPC convention). */
const codesByNumber = [
  undefined,
  'canceled',
  'unknown',
  'invalid_argument',
  'deadline_exceeded',
  'not_found',
  'already_exists',
  'permission_denied',
  'resource_exhausted',
  'failed_precondition',
  'aborted',
  'out_of_range',
  'unimplemented',
  'internal',
  'unavailable',
  'data_loss',
  'unauthenticated',
] as const;

/** A gRPC error code in the spelling of the Connect protocol. */
export type StatusCode = NonNullable<(typeof codesByNumber)[number]>;

const httpByCode: Readonly<Record<StatusCode, number>> = {
  canceled: 499,
  unknown: 500,
  invalid_argument: 400,
  deadline_exceeded: 504,
  not_found: 404,
  already_exists: 409,
  permission_denied: 403,
  resource_exhausted: 429,
  failed_precondition: 400,
  aborted: 409,
  out_of_range: 400,
  unimplemented: 501,
  internal: 500,
  unavailable: 503,
  data_loss: 500,
  unauthenticated: 401,
};

const codeByHttp: Readonly<Partial<Record<number, StatusCode>>> = {
  400: 'invalid_argument',
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'unimplemented',
  405: 'unimplemented',
  408: 'deadline_exceeded',
  409: 'aborted',
  413: 'resource_exhausted',
  415: 'unimplemented',
  429: 'resource_exhausted',
  499: 'canceled',
  500: 'internal',
  501: 'unimplemented',
  502: 'unavailable',
  503: 'unavailable',
  504: 'deadline_exceeded',
};

/** The HTTP status of a code by the gRPC convention. Exception: the service answers a failed QR generation with 503 (§7). */
export function httpStatusOf(code: StatusCode): number {
  return httpByCode[code];
}

/** The code of a response whose body has none, by its HTTP status. */
export function codeOfHttpStatus(status: number): StatusCode {
  return codeByHttp[status] ?? 'unknown';
}

function isStatusCode(text: string): text is StatusCode {
  return Object.hasOwn(httpByCode, text);
}

/** Reads a code in any spelling: `13`, `"internal"`, `"Internal"`, `"INVALID_ARGUMENT"`, `"InvalidArgument"`. */
export function readStatusCode(value: unknown): StatusCode | undefined {
  if (typeof value === 'number') return codesByNumber[value];
  if (typeof value !== 'string') return undefined;
  const snakeCase = value.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  return isStatusCode(snakeCase) ? snakeCase : snakeCase === 'cancelled' ? 'canceled' : undefined;
}

/** An error response of the service: its HTTP status, its gRPC code, and its text, which is for logs only (§7). */
export interface WireError {
  readonly httpStatus: number;
  readonly code: StatusCode;
  readonly message: string;
  /** Where the code comes from: the body or, when the body has no code, the HTTP status. */
  readonly source: 'body' | 'http_status';
}

/**
 * Reads an error response in the Connect shape (`{"code":"invalid_argument","message":…}`), in the google.rpc.Status
 * shape (`{"code":3,"message":…}`). When the body has neither shape, the code is derived from the HTTP status. Never throws.
 */
export function readWireError(httpStatus: number, body: string): WireError {
  const parsed = parseJson(body);
  const code = readStatusCode(parsed['code']);
  const message = typeof parsed['message'] === 'string' ? parsed['message'].slice(0, maxMessageLength) : '';
  if (code === undefined) return { httpStatus, code: codeOfHttpStatus(httpStatus), message, source: 'http_status' };
  return { httpStatus, code, message, source: 'body' };
}

/** The body of an error in the Connect shape. */
export function writeWireError(code: StatusCode, message: string): string {
  return JSON.stringify({ code, message });
}

function parseJson(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {}; // Not JSON: the code is then derived from the HTTP status.
  }
}
