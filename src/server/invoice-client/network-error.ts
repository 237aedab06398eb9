import type { TryFailure } from './retry-policy.ts';

/** Codes that arise only before a connection stands: no byte of the request was sent. */
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
 * Tells what an error of `fetch` means. `not_sent` only where that is certain; all else may have reached the service.
 * Nothing of the error is kept but its code: its text and its members may hold addresses or headers.
 */
export function classifyFetchError(error: unknown): TryFailure {
  const leaves = rootErrorsOf(error, 0);
  const notSent = leaves.length > 0 && leaves.every((leaf) => leaf.connecting);
  const detail = leaves.find((leaf) => leaf.code !== '')?.code;
  return { kind: notSent ? 'not_sent' : 'connection_lost', ...(detail === undefined ? {} : { detail }) };
}

/** The errors at the bottom of causes and aggregates: one for each address that was tried. */
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
