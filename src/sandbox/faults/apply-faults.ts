import { codeOfHttpStatus, writeWireError, formatTimestamp, parseTimestamp } from '../../contract.ts';
import { jsonResponse } from '../service/service-error.ts';
import { intact, type ConnectionFault, type Reply } from './connection-faults.ts';
import type { FaultOf, TerminalFault, ChangingFault } from './fault-kinds.ts';

// Faults that prevent an operation, change its result, replace its response, or break its connection.

/** The reply of a fault that prevents the operation, or undefined. */
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

/** An error for a create with a QR code, in one of the shapes that services and their proxies send. */
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

/** The response of a fault that replaces the regular one, or the regular one. */
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

const moscowOffsetMs = 3 * 3_600_000;

/** The result of an operation with the members that faults change. */
export function changeResult(result: object, faults: readonly ChangingFault[]): object {
  return faults.reduce(changeBy, result);
}

function changeBy(result: object, fault: ChangingFault): object {
  switch (fault.kind) {
    case 'wrong_amount':
      return inInvoices(result, (invoice) => {
        if (!('amount' in invoice)) return invoice;
        if (fault.once_paid === true && !('status' in invoice && invoice.status === 'PAID')) return invoice;
        return { ...invoice, amount: fault.amount ?? withOtherLastDigit(String(invoice.amount)) };
      });
    case 'unknown_status':
      return inInvoices(result, (invoice) =>
        'status' in invoice ? { ...invoice, status: fault.value ?? 'SANDBOX_UNKNOWN' } : invoice,
      );
    case 'missing_fields':
      return inInvoices(result, (invoice) =>
        Object.fromEntries(Object.entries(invoice).filter(([name]) => !fault.fields.includes(name))),
      );
    case 'time_format':
      return withMembers(result, ['created_at', 'expires_at'], (time) => rewriteTime(String(time), fault.format));
    case 'empty_values':
      return withMembers(result, fault.fields, () => '');
    case 'banks_unavailable':
      return 'options' in result && Array.isArray(result.options)
        ? { ...result, options: result.options.map((option: object) => withoutBanks(option)) }
        : result;
  }
}

/** The result of CreateInvoice or FetchInvoices with each invoice changed. */
function inInvoices(result: object, change: (invoice: object) => object): object {
  if ('invoices' in result && Array.isArray(result.invoices))
    return { ...result, invoices: result.invoices.map((invoice: object) => change(invoice)) };
  return change(result);
}

/** Changes the members of those names at any depth, outside of the caller's metadata. */
function withMembers(value: object, names: readonly string[], change: (value: unknown) => unknown): object {
  const inside = (name: string, member: unknown): unknown => {
    if (name === 'metadata' || member === undefined) return member;
    if (names.includes(name)) return change(member);
    if (Array.isArray(member)) return member.map((one: unknown) => inside('', one));
    return typeof member === 'object' && member !== null ? withMembers(member, names, change) : member;
  };
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inside(name, member)]));
}

function withOtherLastDigit(amount: string): string {
  const last = Number(amount.slice(-1));
  return `${amount.slice(0, -1)}${last === 9 ? 8 : last + 1}`;
}

function rewriteTime(text: string, format: 'no_zone' | '+0300' | '+03'): string {
  if (format === 'no_zone') return text.replace('Z', '');
  return formatTimestamp((parseTimestamp(text) ?? 0) + moscowOffsetMs).replace('Z', format);
}

function withoutBanks(option: object): object {
  const banks = 'banks' in option && Array.isArray(option.banks) ? option.banks : [];
  return { ...option, banks: banks.map((bank: object) => ({ ...bank, available: false })) };
}
