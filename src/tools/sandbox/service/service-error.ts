import { toError } from '../../../base/thrown-value.ts';
import { httpStatusOf, writeWireError, type StatusCode } from '../../../service-api.ts';

/**
 * An error of the service with a gRPC code (invoice-service.md §7). The message names the invalid field. `httpStatus` is the
 * default status of the code, unless `responseOptions` has another status.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: StatusCode;
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: StatusCode,
    message: string,
    responseOptions: { readonly httpStatus?: number; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.code = code;
    this.httpStatus = responseOptions.httpStatus ?? httpStatusOf(code);
    this.headers = responseOptions.headers ?? {};
  }
}

/** Converts an error that an operation threw to a `ServiceError`, and logs it under the operation's name. */
export function toServiceError(error: unknown, operationName: string, log: (line: string) => void): ServiceError {
  if (error instanceof ServiceError) return error;
  log(`${operationName} failed: ${toError(error).message}`);
  return new ServiceError('internal', 'the sandbox could not do that');
}

/** Creates the response of a `ServiceError` in the Connect format, such as `{"code":"invalid_argument","message":"amount: …"}`. */
export function errorResponse({ httpStatus, headers, code, message }: ServiceError): Response {
  return jsonResponse(httpStatus, writeWireError(code, message), headers);
}

/** Creates a response with a JSON text. */
export function jsonResponse(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(text, {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  });
}
