import type { Text } from './page-texts.ts';

const create = { operation: 'CreateInvoice' };
const fetch = { operation: 'FetchInvoices' };

/**
 * The faults that a developer can set, by the text of their button, grouped by what they affect. They have the form of the
 * sandbox's control API.
 */
const groups = {
  faultsService: {
    slow: [{ operation: '*', kind: 'latency', ms: 3000 }],
    hang: [{ operation: '*', kind: 'stall', at: 'headers', times: 3 }],
    outage: [{ operation: '*', kind: 'status', status: 503, body: { code: 'unavailable' } }],
    emptyValues: [{ kind: 'empty_values' }],
    noBank: [{ kind: 'banks_unavailable' }],
  },
  faultsQr: {
    // Twice, because the backend's third try requests no QR.
    qr: [{ ...create, kind: 'status', status: 503, body: { code: 'internal' }, times: 2 }],
    qrRefused: [{ kind: 'qr_refused', status: 400 }],
    qrNested: [{ kind: 'qr_refused', status: 503, shape: 'nested', code: 'internal' }],
    qrEmpty: [{ kind: 'qr_refused', status: 503, shape: 'empty' }],
    qrFailed: [{ kind: 'qr_refused', status: 500 }],
  },
  faultsCreate: {
    lost: [{ ...create, kind: 'lost', times: 1 }],
    late: [{ kind: 'late_create', ms: 10_000, times: 1 }],
    twice: [{ ...create, kind: 'lost', times: 1 }, { kind: 'duplicate_create' }],
    amount: [{ ...create, kind: 'wrong_amount', times: 1 }],
    noRequisites: [{ kind: 'missing_fields' }],
    noZone: [{ kind: 'time_format', format: 'no_zone' }],
    shortOffset: [{ kind: 'time_format', format: '+0300' }],
  },
  faultsFetch: {
    status: [{ ...fetch, kind: 'unknown_status' }],
    amountLater: [{ ...fetch, kind: 'wrong_amount' }],
    amountPaid: [{ ...fetch, kind: 'wrong_amount', once_paid: true }],
    batch: [{ kind: 'batch_refused' }],
  },
} satisfies Partial<Record<Text, Partial<Record<Text, readonly object[]>>>>;

export const faultGroups = Object.entries(groups).map(([title, buttons]) => ({
  title: title as Text,
  buttons: Object.entries(buttons).map(([label, faults]) => ({ label: label as Text, faults })),
}));
