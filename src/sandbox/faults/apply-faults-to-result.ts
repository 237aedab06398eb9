import { formatTimestamp, parseTimestamp } from '../../contract.ts';
import type { ChangingFault } from './fault-kinds.ts';

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

/** A created invoice, or the list of those that were fetched, with each invoice changed. */
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
