import type { Text } from './page-texts.ts';

type Fault = Readonly<Record<string, unknown>>;

/** A button of the developer panel: its label, and the faults that it adds to the sandbox's. */
export interface FaultButton {
  readonly label: Text;
  readonly faults: readonly Fault[];
}

const create = { operation: 'CreateInvoice' };
const fetch = { operation: 'FetchInvoices' };

/** The faults that a developer can set, grouped by what they affect, in the form of the sandbox's control API. */
export const faultGroups: readonly { readonly title: Text; readonly buttons: readonly FaultButton[] }[] = [
  {
    title: 'faultsService',
    buttons: [
      { label: 'slow', faults: [{ operation: '*', kind: 'latency', ms: 3000 }] },
      { label: 'hang', faults: [{ operation: '*', kind: 'stall', at: 'headers', times: 3 }] },
      { label: 'outage', faults: [{ operation: '*', kind: 'status', status: 503, body: { code: 'unavailable' } }] },
      { label: 'emptyValues', faults: [{ kind: 'empty_values' }] },
      { label: 'noBank', faults: [{ kind: 'banks_unavailable' }] },
    ],
  },
  {
    title: 'faultsQr',
    buttons: [
      {
        label: 'qr', // Twice, because the backend's third try requests no QR.
        faults: [{ ...create, kind: 'status', status: 503, body: { code: 'internal' }, times: 2 }],
      },
      { label: 'qrRefused', faults: [{ kind: 'qr_refused', status: 400 }] },
      { label: 'qrNested', faults: [{ kind: 'qr_refused', status: 503, shape: 'nested', code: 'internal' }] },
      { label: 'qrEmpty', faults: [{ kind: 'qr_refused', status: 503, shape: 'empty' }] },
      { label: 'qrFailed', faults: [{ kind: 'qr_refused', status: 500 }] },
    ],
  },
  {
    title: 'faultsCreate',
    buttons: [
      { label: 'lost', faults: [{ ...create, kind: 'lost', times: 1 }] },
      { label: 'late', faults: [{ kind: 'late_create', ms: 10_000, times: 1 }] },
      { label: 'twice', faults: [{ ...create, kind: 'lost', times: 1 }, { kind: 'duplicate_create' }] },
      { label: 'amount', faults: [{ ...create, kind: 'wrong_amount', times: 1 }] },
      { label: 'noRequisites', faults: [{ kind: 'missing_fields' }] },
      { label: 'noZone', faults: [{ kind: 'time_format', format: 'no_zone' }] },
      { label: 'shortOffset', faults: [{ kind: 'time_format', format: '+0300' }] },
    ],
  },
  {
    title: 'faultsFetch',
    buttons: [
      { label: 'status', faults: [{ ...fetch, kind: 'unknown_status' }] },
      { label: 'amountLater', faults: [{ ...fetch, kind: 'wrong_amount' }] },
      { label: 'amountPaid', faults: [{ ...fetch, kind: 'wrong_amount', once_paid: true }] },
      { label: 'batch', faults: [{ kind: 'batch_refused' }] },
    ],
  },
];
