// The OpenAPI document of the invoice service, from the schemas of src/service-api.
import { z } from 'zod';
import {
  bank,
  bankOption,
  bankTransferRequisites,
  cardRequisites,
  createdInvoice,
  createInvoiceRequest,
  decimal,
  duration,
  fetchedInvoice,
  fetchInvoicesRequest,
  fetchPaymentOptionsRequest,
  limits,
  metadata,
  operationPath,
  operations,
  paymentOption,
  sbpRequisites,
  serviceName,
  type Operation,
} from '../../../src/service-api.ts';
import { createComponents, createHead, createReference, type Json, type Notes } from './document.ts';

const schemas = {
  Bank: bank,
  BankOption: bankOption,
  BankTransferRequisites: bankTransferRequisites,
  CardRequisites: cardRequisites,
  CreatedInvoice: createdInvoice,
  CreateInvoiceRequest: createInvoiceRequest,
  Error: z.object({ code: z.string(), message: z.string() }),
  FetchedBank: z.object({ id: z.string(), code: z.string() }),
  FetchedInvoice: fetchedInvoice,
  FetchInvoicesRequest: fetchInvoicesRequest,
  FetchInvoicesResponse: z.object({ invoices: z.array(fetchedInvoice) }),
  FetchPaymentOptionsRequest: fetchPaymentOptionsRequest,
  FetchPaymentOptionsResponse: z.object({ options: z.array(paymentOption) }),
  Limits: limits,
  Metadata: metadata,
  PaymentOption: paymentOption,
  SbpRequisites: sbpRequisites,
} as const;

/** The names of the contract's schemas in the document; decimals and durations keep their own. */
const schemaNames = z.registry<z.core.GlobalMeta>();
for (const schema of [decimal, duration]) schemaNames.add(schema, schema.meta() ?? {});
for (const [id, schema] of Object.entries(schemas)) schemaNames.add(schema, { id });

/** Rules of the specification's text. Our schemas are more lenient: they accept a response without most fields (§2.5). */
const notes: Notes = {
  Bank: { required: ['id', 'code', 'name'] },
  'Bank.id': { format: 'uuid' },
  BankOption: { required: ['code', 'name', 'available', 'limits'] },
  'BankOption.available': { default: undefined },
  'BankOption.limits': { default: undefined },
  CreatedInvoice: {
    description: 'An invoice as CreateInvoice returns it (§2.1).',
    required: ['id', 'user_id', 'external_id', 'payment_url', 'amount', 'expires_at'],
  },
  FetchedInvoice: {
    description: 'An invoice as FetchInvoices returns it (§2.2).',
    required: ['id', 'merchant_id', 'payment_url', 'amount', 'status', 'created_at', 'expires_at'],
  },
  'FetchedInvoice.bank': {
    ...createReference('schemas', 'FetchedBank'),
    description: 'Without a name; absent from the sandbox where the invoice has no payment method.',
  },
  Limits: { required: ['min_amount', 'max_amount'] },
  PaymentOption: { required: ['id', 'code', 'type', 'name', 'available', 'limits', 'banks'] },
  'PaymentOption.available': { default: undefined },
  'PaymentOption.limits': { default: undefined },
  'PaymentOption.banks': { default: undefined },
  Error: { description: 'An error of the gRPC convention (§7).' },
  'Error.code': { examples: ['invalid_argument', 'internal'] },
  Metadata: { description: 'A free-form JSON object, stored with the invoice.', additionalProperties: true },
  'CreatedInvoice.expires_at': { format: 'date-time' },
  'CreatedInvoice.nspk_url': { format: 'uri', description: 'Only when `qr.generate` was true.' },
  'CreatedInvoice.payment_url': { format: 'uri' },
  'CreateInvoiceRequest.qr': {
    properties: {
      generate: { type: 'boolean', description: 'Whether the answer has an `nspk_url`.' },
      timeout: {
        ...createReference('schemas', 'Duration'),
        default: '4s',
        description: 'The time allowed for the QR code (§8).',
      },
    },
  },
  'CreateInvoiceRequest.mode': { default: 'LIVE', description: 'TEST does not affect the balance.' },
  'FetchedInvoice.created_at': { format: 'date-time' },
  'FetchedInvoice.expires_at': { format: 'date-time' },
  'FetchedInvoice.payment_url': { format: 'uri' },
  'FetchedInvoice.status': { description: 'An open enum.', examples: ['PENDING', 'FAILED'] },
  'PaymentOption.type': { description: 'An open enum.', examples: ['CARD', 'SBP'] },
};

const summaries: Readonly<Record<Operation, { readonly summary: string; readonly response: keyof typeof schemas }>> = {
  CreateInvoice: { summary: 'Creates an invoice (§4.1)', response: 'CreatedInvoice' },
  FetchPaymentOptions: { summary: 'The payment options (§4.2)', response: 'FetchPaymentOptionsResponse' },
  FetchInvoices: { summary: 'Invoices by their identifiers (§4.3)', response: 'FetchInvoicesResponse' },
};

const errorResponses: readonly (readonly [status: number, when: string, operationFilter?: Operation])[] = [
  [
    400,
    'The body is not what the operation takes (`invalid_argument`), the method is not available (`failed_precondition`), or the amount is out of its limits (`out_of_range`); `message` names the field.',
    'CreateInvoice',
  ],
  [400, 'The body is not what the operation takes; `message` names the field.', 'FetchPaymentOptions'],
  [400, 'The body is not what the operation takes; `message` names the field.', 'FetchInvoices'],
  [401, 'The access token is missing or not valid.'],
  [409, 'An invoice with this `external_id` exists, when the sandbox is set to refuse it.', 'CreateInvoice'],
  [413, 'The body is too large.'],
  [415, 'The body is not `application/json`.'],
  [500, 'The sandbox failed.'],
  [
    503,
    'The QR code was not generated in time (§7), or the service is not available: repeat the call.',
    'CreateInvoice',
  ],
  [503, 'The service is not available: repeat the call.', 'FetchPaymentOptions'],
  [503, 'The service is not available: repeat the call.', 'FetchInvoices'],
];

function jsonContent(schema: keyof typeof schemas): Json {
  return { 'application/json': { schema: createReference('schemas', schema) } };
}

function createPathItem(operation: Operation): [string, Json] {
  const { summary, response } = summaries[operation];
  const operationErrors = errorResponses
    .filter(([, , operationFilter]) => operationFilter === undefined || operationFilter === operation)
    .map(([status, description]): [string, Json] => [String(status), { description, content: jsonContent('Error') }]);
  const post = {
    operationId: operation,
    summary,
    description: `docs/invoice-service.md describes ${operation}.`,
    tags: ['invoices'],
    requestBody: { required: true, content: jsonContent(`${operation}Request`) },
    responses: {
      '200': { description: 'Done.', content: jsonContent(response) },
      ...Object.fromEntries(operationErrors),
    },
  };
  return [operationPath(operation), { post }];
}

/** The invoice service, as the sandbox serves it, as an OpenAPI 3.1 document. */
export function invoiceServiceDocument(version: string): Json {
  return {
    ...createHead(
      serviceName,
      version,
      'The invoice service as its sandbox serves it (docs/invoice-service.md; what that leaves open is decided in docs/assumptions.md).',
      [{ url: 'http://127.0.0.1:8081', description: 'The sandbox on this machine.' }],
    ),
    security: [{ accessToken: [] }],
    tags: [{ name: 'invoices', description: 'Invoices, and the methods by which they can be paid.' }],
    paths: Object.fromEntries(operations.map(createPathItem)),
    components: {
      schemas: createComponents(schemas, notes, schemaNames),
      securitySchemes: { accessToken: { type: 'http', scheme: 'bearer' } },
    },
  };
}
