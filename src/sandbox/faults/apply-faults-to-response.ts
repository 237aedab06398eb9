import { codeOfHttpStatus, writeWireError } from '../../contract.ts';
import { jsonResponse } from '../service/service-error.ts';
import { intact, type ConnectionFault, type Reply } from './broken-connection.ts';
import type { FaultOf, TerminalFault } from './fault-kinds.ts';

// Faults that prevent an operation, replace its response, or break its connection.

/** The reply of a fault that prevents the work, or undefined. */
export function responseBeforeWork(terminal: TerminalFault | undefined): Reply | undefined {
  switch (terminal?.kind) {
    case 'reset':
      return { response: new Response(), connection: { kind: 'drop' } };
    case 'status':
      return terminal.after_work === true ? undefined : intact(statusFault(terminal));
    case 'qr_refused':
      return intact(qrRefusal(terminal));
    case 'batch_refused': {
      const message = `ids: at most ${terminal.max_ids} (a fault that was set in the sandbox)`;
      return intact(jsonResponse(terminal.status, writeWireError(codeOfHttpStatus(terminal.status), message)));
    }
    default:
      return undefined;
  }
}

/** An error for a creation with a QR code, in one of the shapes in which services and their proxies answer. */
function qrRefusal({ status, shape, code = codeOfHttpStatus(status) }: FaultOf<'qr_refused'>): Response {
  const error = { code, message: 'qr: a fault that was set in the sandbox' };
  if (shape === 'empty') return new Response(null, { status });
  if (shape === 'html')
    return new Response(`<!doctype html><title>${status}</title>`, {
      status,
      headers: { 'content-type': 'text/html' },
    });
  return jsonResponse(status, JSON.stringify(shape === 'nested' ? { error } : error));
}

/** The response that replaces the regular one because of a fault, or the regular one. */
export function replaceResponse(response: Response, terminal: TerminalFault | undefined): Response {
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

/** How the connection of the response breaks. */
export function connectionFaultOf(terminal: TerminalFault | undefined): ConnectionFault {
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
