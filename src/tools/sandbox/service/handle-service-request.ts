import { operationPath, operations, type Operation } from '../../../service-api.ts';
import { sleep, type Clock } from '../../../base/clock.ts';
import { connectionFaultOf, replaceResponse, responseBeforeWork, changeResult } from '../faults/apply-faults.ts';
import { createWholeReply, type Reply } from '../faults/connection-faults.ts';
import { ServiceError, errorResponse, jsonResponse, toServiceError } from './service-error.ts';
import type { FaultEffects, ActiveFaults } from '../faults/active-faults.ts';
import { readJson } from './parse-request.ts';

/** The parts that the service's HTTP API needs. */
export interface ServiceApiOptions {
  readonly token: string;
  readonly faults: ActiveFaults;
  readonly clock: Clock;
  /** Performs one operation on the JSON of a request's body; throws a `ServiceError`. */
  readonly perform: (operation: Operation, body: unknown, request: Request, isDuplicate: boolean) => Promise<object>;
  readonly log: (line: string) => void;
}

const operationByPath = new Map<string, Operation>(operations.map((name) => [operationPath(name), name]));

/**
 * Handles a request under `/api/` (invoice-service.md §4, §5, §7) and applies the faults that are set. The `Date` header has
 * the time of the sandbox's clock.
 */
export async function handleServiceRequest(
  options: ServiceApiOptions,
  request: Request,
  closingSignal: AbortSignal,
): Promise<Reply> {
  const reply = await respondWithFaults(options, request, closingSignal);
  const { headers } = reply.response;
  if (!headers.has('date')) headers.set('date', new Date(options.clock.now()).toUTCString());
  return reply;
}

async function respondWithFaults(
  options: ServiceApiOptions,
  request: Request,
  closingSignal: AbortSignal,
): Promise<Reply> {
  const operation = operationByPath.get(new URL(request.url).pathname);
  if (operation === undefined)
    return createWholeReply(
      errorResponse(new ServiceError('unimplemented', 'there is no such operation', { httpStatus: 404 })),
    );
  if (request.method !== 'POST') {
    const errorOptions = { httpStatus: 405, headers: { allow: 'POST' } };
    return createWholeReply(errorResponse(new ServiceError('unimplemented', 'use POST', errorOptions)));
  }
  const body = readJson(request);
  // An error in the body is answered after the checks of the token and of the media type.
  const effects = options.faults.effectsOn(operation, await body.catch(() => undefined));
  const { terminal: terminalFault } = effects;
  await sleep(options.clock, effects.latencyMs, closingSignal);
  const earlyReply = responseBeforeWork(terminalFault);
  if (earlyReply !== undefined) return earlyReply;
  const runOperation = (): Promise<Response> => performOperation(options, operation, request, body, effects);
  if (terminalFault?.kind === 'late_create') {
    const createUnlessClosed = (): void => void (closingSignal.aborted || runOperation());
    options.clock.schedule(terminalFault.ms, createUnlessClosed, true);
    return createWholeReply(
      errorResponse(new ServiceError('deadline_exceeded', 'the gateway did not wait for the service')),
    );
  }
  return {
    response: replaceResponse(await runOperation(), terminalFault),
    connection: connectionFaultOf(terminalFault),
  };
}

async function performOperation(
  options: ServiceApiOptions,
  operation: Operation,
  request: Request,
  body: Promise<unknown>,
  { isDuplicate, changes }: FaultEffects,
): Promise<Response> {
  try {
    authenticate(request, options.token);
    requireJson(request);
    const result = await options.perform(operation, await body, request, isDuplicate);
    return jsonResponse(200, JSON.stringify(changeResult(result, changes)));
  } catch (error) {
    return errorResponse(toServiceError(error, operation, options.log));
  }
}

function authenticate(request: Request, token: string): void {
  const [, givenToken] = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  if (givenToken === token) return;
  const message =
    givenToken === undefined ? 'authorization: a Bearer token is required' : 'authorization: not a valid token';
  throw new ServiceError('unauthenticated', message, { headers: { 'www-authenticate': 'Bearer' } });
}

function requireJson({ headers }: Request): void {
  const refuseMediaType = (message: string): never => {
    throw new ServiceError('unimplemented', message, {
      httpStatus: 415,
      headers: { 'accept-post': 'application/json' },
    });
  };
  const contentType = headers.get('content-type') ?? '';
  if (!/^application\/json *(?:; *charset="?utf-8"? *)?$/i.test(contentType))
    refuseMediaType('content-type: must be application/json');
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity')
    refuseMediaType('content-encoding: must be identity');
}
