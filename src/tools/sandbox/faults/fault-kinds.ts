import { z } from 'zod';
import { decimal, operations, type Operation } from '../../../service-api.ts';
import { invoiceStatus } from '../invoices/invoice.ts';

const millisecondsSchema = z.int('must be a whole number of milliseconds').min(0).max(3_600_000);
const errorStatus = z.int().min(400).max(599);
const fieldNames = z.array(z.string().min(1)).min(1);

/** Members of every fault: its maximum number of uses, its probability, and the requests to which it applies. */
const commonMembers = {
  times: z.int().min(1).optional(),
  probability: z.number().gt(0).max(1).optional(),
  /** Seeds the random numbers of `probability`. */
  seed: z.int().optional(),
  /** Applies only to creates with `qr.generate` (true), or only to creates without it (false). */
  qr: z.boolean().optional(),
  /** Applies only to creates with this payment method. */
  payment_method_id: z.string().optional(),
  /** Applies only to FetchInvoices requests with at least this many identifiers. */
  min_ids: z.int().min(1).optional(),
};
const mustBeOneOf = {
  error: ({ values = [] }: { readonly values?: readonly unknown[] }) => `must be one of ${values.join(', ')}`,
};
const anyOperation = { operation: z.enum([...operations, '*'], mustBeOneOf).default('*'), ...commonMembers };
const createOperation = { operation: z.enum(['CreateInvoice', '*'], mustBeOneOf).default('*'), ...commonMembers };
const fetchOperation = { operation: z.enum(['FetchInvoices', '*'], mustBeOneOf).default('*'), ...commonMembers };
const optionsOperation = {
  operation: z.enum(['FetchPaymentOptions', '*'], mustBeOneOf).default('*'),
  ...commonMembers,
};
const invoiceOperations = {
  operation: z.enum(['CreateInvoice', 'FetchInvoices', '*'], mustBeOneOf).default('*'),
  ...commonMembers,
};

const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'must be the name of a header');
const headerValue = z.string().regex(/^[\t\x20-\x7e]*$/, 'must be the value of a header');

/** Faults that decide the response: at most one of them applies to a request. docs/sandbox.md has the same descriptions. */
const terminalFaults = [
  z
    .strictObject({
      ...anyOperation,
      kind: z.literal('status'),
      status: z.int().min(200).max(599),
      headers: z.record(headerName, headerValue).optional(),
      /** Text, or a value that is sent as JSON. When left out, the body is the service's error for the status. */
      body: z.json().optional(),
      after_work: z.boolean().optional(),
    })
    .describe('sends another response, before the work or `after_work`'),
  z.strictObject({ ...anyOperation, kind: z.literal('reset') }).describe('drops the connection before the work'),
  z.strictObject({ ...anyOperation, kind: z.literal('lost') }).describe('drops the connection after the work'),
  z
    .strictObject({ ...anyOperation, kind: z.literal('truncate') })
    .describe('sends half of the body, then drops the connection'),
  z
    .strictObject({ ...anyOperation, kind: z.literal('garbage'), body: z.string().optional() })
    .describe('sends 200 without JSON'),
  z
    .strictObject({
      ...anyOperation,
      kind: z.literal('stall'),
      ms: millisecondsSchema.optional(),
      at: z.enum(['headers', 'body']).optional(),
    })
    .describe('sends nothing for `ms`, or for ever, before the headers or in the body'),
  z
    .strictObject({
      ...createOperation,
      kind: z.literal('qr_refused'),
      status: errorStatus.default(400),
      shape: z.enum(['flat', 'nested', 'empty', 'html']).default('flat'),
      code: z.string().optional(),
    })
    .describe(
      'answers creations that ask for a QR code with an error: `{"code"}`, `{"error":{"code"}}`, an empty body or HTML',
    ),
  z
    .strictObject({ ...createOperation, kind: z.literal('late_create'), ms: millisecondsSchema.default(30_000) })
    .describe('answers 504 at once and creates the invoice `ms` later'),
  z
    .strictObject({
      ...fetchOperation,
      kind: z.literal('batch_refused'),
      max_ids: z.int().min(1).default(1),
      status: errorStatus.default(400),
    })
    .describe('refuses a request for more than `max_ids` invoices as a whole'),
] as const;

/** Faults that delay or change a regular response; they combine with each other and with a terminal fault. */
const modifyingFaults = [
  z
    .strictObject({ ...anyOperation, kind: z.literal('latency'), ms: millisecondsSchema })
    .describe('delays the response'),
  z
    .strictObject({
      ...invoiceOperations,
      kind: z.literal('wrong_amount'),
      amount: decimal.optional(),
      once_paid: z.boolean().optional(),
    })
    .describe(
      'changes the last digit of each amount, or sends `amount`; with `once_paid` only of invoices that are paid',
    ),
  z
    .strictObject({ ...fetchOperation, kind: z.literal('unknown_status'), value: invoiceStatus.optional() })
    .describe('gives fetched invoices an unknown status'),
  z
    .strictObject({ ...createOperation, kind: z.literal('duplicate_create') })
    .describe('creates a new invoice for a repeated `external_id`, whatever the settings say'),
  z
    .strictObject({
      ...invoiceOperations,
      kind: z.literal('missing_fields'),
      fields: fieldNames.default(['sbp', 'card', 'bank_transfer', 'nspk_url', 'payment_url']),
    })
    .describe('leaves members out of invoices: by default all by which an invoice can be paid'),
  z
    .strictObject({
      ...invoiceOperations,
      kind: z.literal('time_format'),
      format: z.enum(['no_zone', '+0300', '+03']).default('no_zone'),
    })
    .describe('writes times without a zone, or with a shortened offset'),
  z
    .strictObject({
      ...anyOperation,
      kind: z.literal('empty_values'),
      fields: fieldNames.default(['min_amount', 'max_amount', 'name', 'code']),
    })
    .describe('sends `""` as the value of members'),
  z
    .strictObject({
      ...anyOperation,
      kind: z.literal('long_values'),
      length: z.int().min(1).max(1_000_000),
      fields: fieldNames.default(['holder_name', 'name']),
    })
    .describe('makes texts `length` characters long, up to a million: it cuts them, or lengthens them with `x`'),
  z
    .strictObject({ ...optionsOperation, kind: z.literal('banks_unavailable') })
    .describe('lists methods whose banks are all unavailable'),
] as const;

const schemas = [...modifyingFaults, ...terminalFaults] as const;

/** A fault of the service or of the connection to it, as `PUT /sandbox/faults` takes it. */
export const fault = z.discriminatedUnion('kind', schemas, {
  error: `must be one of ${schemas.map(({ shape }) => shape.kind.value).join(', ')}`,
});

export type Fault = z.output<typeof fault>;

/** A fault of one kind. */
export type FaultOf<K extends Fault['kind']> = Extract<Fault, { readonly kind: K }>;

/** A fault that decides the response. */
export type TerminalFault = z.output<(typeof terminalFaults)[number]>;

/** A fault that changes members of a response. */
export type ChangingFault = Exclude<Fault, TerminalFault | FaultOf<'latency' | 'duplicate_create'>>;

/** A kind of fault: its name, its effect, the operations that it can affect, and the members that only this kind has. */
export interface FaultKind {
  readonly kind: Fault['kind'];
  readonly description: string;
  readonly operations: readonly Operation[];
  readonly members: readonly string[];
}

/** All kinds of faults, as `GET /sandbox/faults/kinds` lists them. */
export const faultKinds: readonly FaultKind[] = schemas.map(({ shape, description = '' }) => ({
  kind: shape.kind.value,
  description,
  operations: operations.filter((name) => shape.operation.safeParse(name).success),
  members: Object.keys(shape).filter((name) => name !== 'kind' && !Object.hasOwn(anyOperation, name)),
}));

const terminalKinds = new Set<string>(terminalFaults.map(({ shape }) => shape.kind.value));

/** Whether a fault decides the response. */
export function isTerminal(activeFault: Fault): activeFault is TerminalFault {
  return terminalKinds.has(activeFault.kind);
}

/** Whether a fault applies to a request of an operation with that body. */
export function appliesTo(activeFault: Fault, operation: Operation, body: unknown): boolean {
  if (activeFault.operation !== '*' && activeFault.operation !== operation) return false;
  if (faultKinds.find(({ kind }) => kind === activeFault.kind)?.operations.includes(operation) !== true) return false;
  const { qr, payment_method_id, ids } = conditionMembers.parse(body);
  const requestsQr = qr?.generate === true;
  if (
    activeFault.kind === 'qr_refused'
      ? !requestsQr
      : activeFault.qr !== undefined && (operation !== 'CreateInvoice' || activeFault.qr !== requestsQr)
  )
    return false;
  if (activeFault.payment_method_id !== undefined && activeFault.payment_method_id !== payment_method_id) return false;
  const idCount = ids?.length ?? 0;
  return (
    idCount >= (activeFault.min_ids ?? 0) && (activeFault.kind !== 'batch_refused' || idCount > activeFault.max_ids)
  );
}

/** The members of a request on which the conditions of faults depend. A member of a wrong type counts as missing. */
const conditionMembers = z
  .object({
    qr: z
      .object({ generate: z.boolean().optional().catch(undefined) })
      .optional()
      .catch(undefined),
    payment_method_id: z.string().optional().catch(undefined),
    ids: z.array(z.unknown()).optional().catch(undefined),
  })
  .catch({});
