import { z } from 'zod';
import { operations } from '../../contract.ts';
import { invoiceStatus } from '../invoices/invoice.ts';

const milliseconds = z.int('must be a whole number of milliseconds').min(0).max(3_600_000);

/** Members that every fault may have: the operation, how often it applies at most, and how likely. */
const where = {
  operation: z.enum([...operations, '*'], { error: `must be one of ${operations.join(', ')}, *` }).default('*'),
  times: z.int().min(1).optional(),
  probability: z.number().gt(0).max(1).optional(),
  /** Seeds the random numbers of `probability`. */
  seed: z.int().optional(),
};

const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'must be the name of a header');
const headerValue = z.string().regex(/^[\t\x20-\x7e]*$/, 'must be the value of a header');

/**
 * A fault of the service or of the connection to it. Before the work: `latency` waits `ms`; `reset` drops the connection;
 * `status` answers with any `status`, `headers` and `body` (text, or a value that is sent as JSON; when left out, the
 * error that fits the status), with `after_work` only when the work is done. After the work: `lost` drops the connection
 * without an answer; `truncate` sends half of the body and drops it; `garbage` answers 200 with a `body` that is no
 * JSON; `stall` goes silent in the body, or before the headers (`at`), for `ms` or for ever; `wrong_amount` changes the
 * last digit of each amount; `unknown_status` gives each fetched invoice the status `value`.
 */
export const fault = z
  .discriminatedUnion(
    'kind',
    [
      z.strictObject({ ...where, kind: z.literal('latency'), ms: milliseconds }),
      z.strictObject({
        ...where,
        kind: z.literal('status'),
        status: z.int().min(200).max(599),
        headers: z.record(headerName, headerValue).optional(),
        body: z.json().optional(),
        after_work: z.boolean().optional(),
      }),
      z.strictObject({ ...where, kind: z.literal('reset') }),
      z.strictObject({ ...where, kind: z.literal('lost') }),
      z.strictObject({ ...where, kind: z.literal('truncate') }),
      z.strictObject({ ...where, kind: z.literal('garbage'), body: z.string().optional() }),
      z.strictObject({
        ...where,
        kind: z.literal('stall'),
        ms: milliseconds.optional(),
        at: z.enum(['headers', 'body']).optional(),
      }),
      z.strictObject({ ...where, kind: z.literal('wrong_amount') }),
      z.strictObject({ ...where, kind: z.literal('unknown_status'), value: invoiceStatus.optional() }),
    ],
    {
      error: 'must be one of latency, status, reset, lost, truncate, garbage, stall, wrong_amount, unknown_status',
    },
  )
  .refine((fault) => fault.kind !== 'wrong_amount' || fault.operation !== 'FetchPaymentOptions', {
    path: ['operation'],
    error: 'must be CreateInvoice, FetchInvoices or * for wrong_amount',
  })
  .refine((fault) => fault.kind !== 'unknown_status' || ['FetchInvoices', '*'].includes(fault.operation), {
    path: ['operation'],
    error: 'must be FetchInvoices or * for unknown_status',
  });

export type Fault = z.output<typeof fault>;

/** A fault of one kind. */
export type FaultOf<K extends Fault['kind']> = Extract<Fault, { readonly kind: K }>;
