import { httpStatusOf, writeWireError, type StatusCode } from '../../contract.ts';

/**
 * A request that is answered with an error of the gRPC convention (invoice-service.md §7). Its message names the
 * field that is wrong. `httpStatus` is given only where it is not the code's own.
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

/** A `ServiceError` as an answer in the Connect shape, such as `{"code":"invalid_argument","message":"amount: …"}`. */
export function errorResponse({ httpStatus, headers, code, message }: ServiceError): Response {
  return jsonResponse(httpStatus, writeWireError(code, message), headers);
}

/** An answer of JSON text. */
export function jsonResponse(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(text, {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  });
}
