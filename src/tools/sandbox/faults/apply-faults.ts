import { codeOfHttpStatus, writeWireError, formatTimestamp, parseTimestamp } from '../../../service-api.ts';
import { jsonResponse } from '../service/service-error.ts';
import { createWholeReply, type ConnectionFault, type Reply } from './connection-faults.ts';
import type { FaultOf, TerminalFault, ChangingFault } from './fault-kinds.ts';

// Faults that prevent an operation, change its result, replace its response, or break its connection.

/** Returns the reply of a fault that prevents the operation; undefined when the operation is performed. */
export function responseBeforeWork(terminalFault: TerminalFault | undefined): Reply | undefined {
  switch (terminalFault?.kind) {
    case 'reset':
      return { response: new Response(), connection: { kind: 'drop' } };
    case 'status':
      return terminalFault.after_work === true ? undefined : createWholeReply(createStatusResponse(terminalFault));
    case 'qr_refused':
      return createWholeReply(createQrRefusal(terminalFault));
    case 'batch_refused': {
      const message = `ids: at most ${terminalFault.max_ids} (a fault that was set in the sandbox)`;
      return createWholeReply(
        jsonResponse(terminalFault.status, writeWireError(codeOfHttpStatus(terminalFault.status), message)),
      );
    }
    default:
      return undefined;
  }
}

/** An error for a create with a QR code, in one of the shapes that services and their proxies send. */
function createQrRefusal({ status, shape, code = codeOfHttpStatus(status) }: FaultOf<'qr_refused'>): Response {
  const error = { code, message: 'qr: a fault that was set in the sandbox' };
  if (shape === 'empty') return new Response(null, { status });
  if (shape === 'html')
    return new Response(`<!doctype html><title>${status}</title>`, {
      status,
      headers: { 'content-type': 'text/html' },
    });
  return jsonResponse(status, JSON.stringify(shape === 'nested' ? { error } : error));
}

/** Returns the response of a fault that replaces the regular response; otherwise returns the regular response. */
export function replaceResponse(response: Response, terminalFault: TerminalFault | undefined): Response {
  if (terminalFault?.kind === 'status') return createStatusResponse(terminalFault);
  if (terminalFault?.kind !== 'garbage') return response;
  const body = terminalFault.body ?? '<!doctype html><title>502</title><h1>Bad gateway</h1>';
  return new Response(body, { headers: { 'content-type': 'application/json' } });
}

function createStatusResponse({ status, headers = {}, body }: FaultOf<'status'>): Response {
  const isText = typeof body === 'string';
  const text = isText
    ? body
    : body === undefined
      ? writeWireError(codeOfHttpStatus(status), 'a fault that was set in the sandbox')
      : JSON.stringify(body);
  const contentType = isText ? 'text/plain; charset=utf-8' : 'application/json';
  return new Response([204, 205, 304].includes(status) ? null : text, {
    status,
    headers: { 'content-type': contentType, ...lowerCaseNames(headers) },
  });
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Returns how a fault breaks the connection of the response. */
export function connectionFaultOf(terminalFault: TerminalFault | undefined): ConnectionFault {
  switch (terminalFault?.kind) {
    case 'lost':
      return { kind: 'drop' };
    case 'truncate':
      return { kind: 'cut' };
    case 'stall':
      return { kind: 'stall', at: terminalFault.at ?? 'body', ms: terminalFault.ms };
    default:
      return { kind: 'whole' };
  }
}

const moscowOffsetMs = 3 * 3_600_000;

/** Returns the result of an operation after the faults have changed its members. */
export function changeResult(result: object, faults: readonly ChangingFault[]): object {
  return faults.reduce(changeResultBy, result);
}

function changeResultBy(result: object, fault: ChangingFault): object {
  switch (fault.kind) {
    case 'wrong_amount':
      return changeInvoices(result, (invoice) => {
        if (!('amount' in invoice)) return invoice;
        if (fault.once_paid === true && !('status' in invoice && invoice.status === 'PAID')) return invoice;
        return { ...invoice, amount: fault.amount ?? changeLastDigit(String(invoice.amount)) };
      });
    case 'unknown_status':
      return changeInvoices(result, (invoice) =>
        'status' in invoice ? { ...invoice, status: fault.value ?? 'SANDBOX_UNKNOWN' } : invoice,
      );
    case 'missing_fields':
      return changeInvoices(result, (invoice) =>
        Object.fromEntries(Object.entries(invoice).filter(([name]) => !fault.fields.includes(name))),
      );
    case 'time_format':
      return changeMembers(result, ['created_at', 'expires_at'], (time) => rewriteTime(String(time), fault.format));
    case 'empty_values':
      return changeMembers(result, fault.fields, () => '');
    case 'long_values': {
      const { fields, length } = fault;
      return changeMembers(result, fields, (value) =>
        typeof value === 'string' ? value.slice(0, length).padEnd(length, 'x') : value,
      );
    }
    case 'banks_unavailable':
      return 'options' in result && Array.isArray(result.options)
        ? { ...result, options: result.options.map((option: object) => makeBanksUnavailable(option)) }
        : result;
  }
}

/** Changes each invoice in the result of CreateInvoice or FetchInvoices. */
function changeInvoices(result: object, change: (invoice: object) => object): object {
  if ('invoices' in result && Array.isArray(result.invoices))
    return { ...result, invoices: result.invoices.map((invoice: object) => change(invoice)) };
  return change(result);
}

/** Changes the members with the names at any depth, except inside the caller's metadata. */
function changeMembers(value: object, names: readonly string[], change: (value: unknown) => unknown): object {
  const changeMember = (name: string, member: unknown): unknown => {
    if (name === 'metadata' || member === undefined) return member;
    if (names.includes(name)) return change(member);
    if (Array.isArray(member)) return member.map((item: unknown) => changeMember('', item));
    return typeof member === 'object' && member !== null ? changeMembers(member, names, change) : member;
  };
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, changeMember(name, member)]));
}

function changeLastDigit(amount: string): string {
  const lastDigit = Number(amount.slice(-1));
  return `${amount.slice(0, -1)}${lastDigit === 9 ? 8 : lastDigit + 1}`;
}

function rewriteTime(text: string, format: 'no_zone' | '+0300' | '+03'): string {
  if (format === 'no_zone') return text.replace('Z', '');
  return formatTimestamp((parseTimestamp(text) ?? 0) + moscowOffsetMs).replace('Z', format);
}

function makeBanksUnavailable(option: object): object {
  const banks = 'banks' in option && Array.isArray(option.banks) ? option.banks : [];
  return { ...option, banks: banks.map((bank: object) => ({ ...bank, available: false })) };
}
