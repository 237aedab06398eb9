import { createHash, timingSafeEqual } from 'node:crypto';
import { codeOfHttpStatus, operationPath, operations, writeWireError, type Operation } from '../../contract.ts';
import type { Clock } from '../../base/clock.ts';
import { sleep } from '../../base/timeout.ts';
import { intact, type Reply, type ConnectionFault } from '../faults/broken-connection.ts';
import { ServiceError, errorResponse, jsonResponse } from './service-error.ts';
import type { FaultOf } from '../faults/fault-kinds.ts';
import type { TerminalFault, FaultList, FaultEffects } from '../faults/active-faults.ts';
import { readJson } from './request-json.ts';

/** The parts that the service's HTTP API needs. */
export interface ServiceApiOptions {
  readonly token: string;
  readonly faults: FaultList;
  readonly clock: Clock;
  /** Performs one operation on the JSON of a request's body; throws a `ServiceError`. */
  readonly perform: (operation: Operation, body: unknown, request: Request) => Promise<object>;
  readonly log: (line: string) => void;
}

const operationByPath = new Map<string, Operation>(operations.map((name) => [operationPath(name), name]));

/** Answers a request under `/api/` (invoice-service.md §4, §5, §7), with the faults that are set. */
export async function handleServiceRequest(
  parts: ServiceApiOptions,
  request: Request,
  closing: AbortSignal,
): Promise<Reply> {
  const operation = operationByPath.get(new URL(request.url).pathname);
  if (operation === undefined)
    return intact(errorResponse(new ServiceError('unimplemented', 'there is no such operation', { httpStatus: 404 })));
  if (request.method !== 'POST') {
    const more = { httpStatus: 405, headers: { allow: 'POST' } };
    return intact(errorResponse(new ServiceError('unimplemented', 'use POST', more)));
  }
  const effects = parts.faults.effectsOn(operation);
  const { terminal } = effects;
  await sleep(parts.clock, effects.latencyMs, closing);
  if (terminal?.kind === 'reset') return { response: new Response(), connection: { kind: 'drop' } };
  if (terminal?.kind === 'status' && terminal.after_work !== true) return intact(statusFault(terminal));
  const response = await performOperation(parts, operation, request, effects);
  return { response: replaceResponse(response, terminal), connection: connectionFaultOf(terminal) };
}

async function performOperation(
  parts: ServiceApiOptions,
  operation: Operation,
  request: Request,
  effects: FaultEffects,
): Promise<Response> {
  try {
    authenticate(request, parts.token);
    requireJson(request);
    const result = await parts.perform(operation, await readJson(request), request);
    return jsonResponse(200, JSON.stringify(withFaultyFields(result, effects)));
  } catch (error) {
    if (error instanceof ServiceError) return errorResponse(error);
    parts.log(`${operation} failed: ${error instanceof Error ? error.message : String(error)}`);
    return errorResponse(new ServiceError('internal', 'the sandbox could not do that'));
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

/** The result with the wrong amounts and statuses that the faults ask for. */
function withFaultyFields(result: object, { wrongAmount, status }: FaultEffects): object {
  const change = (item: object): object => ({
    ...item,
    ...(wrongAmount && 'amount' in item && { amount: withOtherLastDigit(String(item.amount)) }),
    ...(status !== undefined && 'status' in item && { status }),
  });
  if ('invoices' in result && Array.isArray(result.invoices))
    return { ...result, invoices: result.invoices.map((item: object) => change(item)) };
  return change(result);
}

function withOtherLastDigit(amount: string): string {
  const last = Number(amount.slice(-1));
  return `${amount.slice(0, -1)}${last === 9 ? 8 : last + 1}`;
}

/** The response that replaces the regular one because of a fault, or the regular one. */
function replaceResponse(response: Response, terminal: TerminalFault | undefined): Response {
  if (terminal?.kind === 'status') return statusFault(terminal);
  if (terminal?.kind !== 'garbage') return response;
  const body = terminal.body ?? '<!doctype html><title>502</title><h1>Bad gateway</h1>';
  return new Response(body, { headers: { 'content-type': 'application/json' } });
}

function statusFault({ status, headers = {}, body }: FaultOf<'status'>): Response {
  const isText = typeof body === 'string';
  const text = isText
    ? body
    : body === undefined
      ? writeWireError(codeOfHttpStatus(status), 'a fault that was set in the sandbox')
      : JSON.stringify(body);
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json';
  return new Response([204, 205, 304].includes(status) ? null : text, {
    status,
    headers: { 'content-type': type, ...lowerCased(headers) },
  });
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function connectionFaultOf(terminal: TerminalFault | undefined): ConnectionFault {
  switch (terminal?.kind) {
    case 'lost':
      return { kind: 'drop' };
    case 'truncate':
      return { kind: 'cut' };
    case 'stall':
      return { kind: 'stall', at: terminal.at ?? 'body', ms: terminal.ms };
    default:
      return { kind: 'whole' };
  }
}
