import { httpStatusOf, writeWireError, type StatusCode } from '../../contract.ts';

/**
 * An error response of the gRPC convention (invoice-service.md §7). The message names the invalid field. `httpStatus`
 * differs from the usual one of the code in a few cases.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: StatusCode;
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: StatusCode,
    message: string,
    more: { readonly httpStatus?: number; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.code = code;
    this.httpStatus = more.httpStatus ?? httpStatusOf(code);
    this.headers = more.headers ?? {};
  }
}

/** The response of a `ServiceError` in the Connect shape, such as `{"code":"invalid_argument","message":"amount: …"}`. */
export function errorResponse({ httpStatus, headers, code, message }: ServiceError): Response {
  return jsonResponse(httpStatus, writeWireError(code, message), headers);
}

/** A response with a JSON text. */
export function jsonResponse(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(text, {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  });
}
