import type { TryFailure } from './retry-policy.ts';

/** Codes of errors before the connection is established: no byte of the request was sent. */
const notSentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

interface RootError {
  readonly code: string;
  readonly connecting: boolean;
}

/**
 * Classifies an error of `fetch`: `not_sent` only when that is certain, else `connection_lost`. Only the error's code is
 * kept, because its message and its other members may contain addresses or headers.
 */
export function classifyFetchError(error: unknown): TryFailure {
  const rootErrors = rootErrorsOf(error, 0);
  const notSent = rootErrors.length > 0 && rootErrors.every((root) => root.connecting);
  const detail = rootErrors.find((root) => root.code !== '')?.code;
  return { kind: notSent ? 'not_sent' : 'connection_lost', ...(detail === undefined ? {} : { detail }) };
}

/** The root errors of nested causes and aggregates: one for each address that was tried. */
function rootErrorsOf(error: unknown, depth: number): readonly RootError[] {
  if (!(error instanceof Error) || depth > 5) return [{ code: '', connecting: false }];
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.flatMap((one: unknown) => rootErrorsOf(one, depth + 1));
  if (error.cause instanceof Error) return rootErrorsOf(error.cause, depth + 1);
  const code = textOf('code' in error ? error.code : '');
  const syscall = textOf('syscall' in error ? error.syscall : '');
  return [{ code, connecting: notSentCodes.has(code) || syscall === 'connect' || syscall === 'getaddrinfo' }];
}

function textOf(value: unknown): string {
  return typeof value === 'string' && /^[A-Za-z][A-Za-z0-9_]{1,60}$/.test(value) ? value : '';
}
