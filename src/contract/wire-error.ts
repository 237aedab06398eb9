import { codeOfHttpStatus, readStatusCode, type StatusCode } from './grpc-error.ts';

/** An error answer of the service: its HTTP status, its gRPC code, and its text, which is for logs alone (§7). */
export interface WireError {
  readonly httpStatus: number;
  readonly code: StatusCode;
  readonly message: string;
  /** Where the code was found: in the body, or only in the HTTP status because the body was neither shape. */
  readonly source: 'body' | 'http_status';
}

const maxMessage = 500;

/**
 * Reads an error answer in the Connect shape (`{"code":"invalid_argument","message":…}`), in the google.rpc.Status
 * shape (`{"code":3,"message":…}`), or, when the body is neither, by its HTTP status. It never throws.
 */
export function readWireError(httpStatus: number, body: string): WireError {
  const parsed = parseJson(body);
  const code = readStatusCode(parsed['code']);
  const message = typeof parsed['message'] === 'string' ? parsed['message'].slice(0, maxMessage) : '';
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
    // Stryker disable next-line all: Spreading null or a primitive adds neither code nor message. The check narrows the type.
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {}; // not JSON: the HTTP status says what it was
  }
}
