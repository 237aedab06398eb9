import { createHash, timingSafeEqual } from 'node:crypto';
import { operationPath, operations, type Operation } from '../../contract.ts';
import { sleep, type Clock } from '../../base/clock.ts';
import { connectionFaultOf, replaceResponse, responseBeforeWork, changeResult } from '../faults/apply-faults.ts';
import { intact, type Reply } from '../faults/connection-faults.ts';
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
 * Answers a request under `/api/` (invoice-service.md §4, §5, §7), with the faults that are set. The `Date` header has the
 * time of the sandbox's clock.
 */
export async function handleServiceRequest(
  parts: ServiceApiOptions,
  request: Request,
  closing: AbortSignal,
): Promise<Reply> {
  const reply = await answerRequest(parts, request, closing);
  const { headers } = reply.response;
  if (!headers.has('date')) headers.set('date', new Date(parts.clock.now()).toUTCString());
  return reply;
}

async function answerRequest(parts: ServiceApiOptions, request: Request, closing: AbortSignal): Promise<Reply> {
  const operation = operationByPath.get(new URL(request.url).pathname);
  if (operation === undefined)
    return intact(errorResponse(new ServiceError('unimplemented', 'there is no such operation', { httpStatus: 404 })));
  if (request.method !== 'POST') {
    const more = { httpStatus: 405, headers: { allow: 'POST' } };
    return intact(errorResponse(new ServiceError('unimplemented', 'use POST', more)));
  }
  const body = await readBody(request);
  const effects = parts.faults.effectsOn(operation, body.value);
  const { terminal } = effects;
  await sleep(parts.clock, effects.latencyMs, closing);
  const early = responseBeforeWork(terminal);
  if (early !== undefined) return early;
  const work = (): Promise<Response> => performOperation(parts, operation, request, body, effects);
  if (terminal?.kind === 'late_create') {
    closing.addEventListener(
      'abort',
      parts.clock.schedule(terminal.ms, () => void work(), true),
      { once: true },
    );
    return intact(errorResponse(new ServiceError('deadline_exceeded', 'the gateway did not wait for the service')));
  }
  return { response: replaceResponse(await work(), terminal), connection: connectionFaultOf(terminal) };
}

/** The JSON value of a request's body, or the error that reading it threw. */
interface ReadBody {
  readonly value: unknown;
  readonly error: Error | undefined;
}

async function readBody(request: Request): Promise<ReadBody> {
  try {
    return { value: await readJson(request), error: undefined };
  } catch (error) {
    return { value: undefined, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

async function performOperation(
  parts: ServiceApiOptions,
  operation: Operation,
  request: Request,
  body: ReadBody,
  { isDuplicate, changes }: FaultEffects,
): Promise<Response> {
  try {
    authenticate(request, parts.token);
    requireJson(request);
    if (body.error !== undefined) throw body.error;
    const result = await parts.perform(operation, body.value, request, isDuplicate);
    return jsonResponse(200, JSON.stringify(changeResult(result, changes)));
  } catch (error) {
    return errorResponse(toServiceError(error, operation, parts.log));
  }
}

function authenticate(request: Request, token: string): void {
  const [, given] = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  if (given !== undefined && timingSafeEqual(hash(given), hash(token))) return;
  const message =
    given === undefined ? 'authorization: a Bearer token is required' : 'authorization: not a valid token';
  throw new ServiceError('unauthenticated', message, { headers: { 'www-authenticate': 'Bearer' } });
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function requireJson({ headers }: Request): void {
  const refuse = (message: string): never => {
    throw new ServiceError('unimplemented', message, {
      httpStatus: 415,
      headers: { 'accept-post': 'application/json' },
    });
  };
  const type = headers.get('content-type') ?? '';
  if (!/^application\/json *(?:; *charset="?utf-8"? *)?$/i.test(type)) refuse('content-type: must be application/json');
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity') refuse('content-encoding: must be identity');
}
