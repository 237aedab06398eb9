import { JournalError } from '../invoices/invoice-store.ts';
import { httpStatusOf, writeWireError, type StatusCode } from '../../contract.ts';

/**
 * An error response of the gRPC convention (invoice-service.md §7). The message names the invalid field. `httpStatus` is the
 * usual one of the code unless another one is given.
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

/** The `ServiceError` for an error that an operation threw; `task` names the operation in the log. */
export function toServiceError(error: unknown, task: string, log: (line: string) => void): ServiceError {
  if (error instanceof ServiceError) return error;
  log(`${task} failed: ${error instanceof Error ? error.message : String(error)}`);
  return error instanceof JournalError
    ? new ServiceError('unavailable', 'the sandbox cannot store this now, try again')
    : new ServiceError('internal', 'the sandbox could not do that');
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
