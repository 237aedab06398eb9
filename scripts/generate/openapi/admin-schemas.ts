// The schemas of the admin API for its OpenAPI document. Requests: those that the server parses with. Answers: bound by the
// compiler to the types of what the server answers with.
import { z } from 'zod';
import { checkoutStatuses } from '../../../src/checkout-api.ts';
import type {
  Checkout,
  CheckoutDetails,
  Checkouts,
  LinkedCheckout,
  Outcome,
} from '../../../src/operator-page/admin-client.ts';
import { listQuery, resolveParams } from '../../../src/server/commands/create-and-list-checkouts.ts';
import {
  changesSchema,
  createParamsSchema,
  metadata,
  positiveDecimal,
  timeSchema,
} from '../../../src/server/domain/checkout-params.ts';
import { outcomeKinds } from '../../../src/server/ports/outcome-outbox.ts';
import { decimal, timestamp } from '../../../src/service-api.ts';
import { problemKinds } from '../../../src/standalone/problem-responses.ts';
import { decimalPattern } from '../../../src/base/decimal.ts';

// What zod cannot say of a function that checks a value.
z.globalRegistry.add(positiveDecimal, {
  type: 'string',
  pattern: decimalPattern.source,
  description: 'More than zero, with at most the digits of the currency.',
});
z.globalRegistry.add(timeSchema, { type: 'string', format: 'date-time' });
z.globalRegistry.add(metadata, { type: 'object', description: 'Sent to the service with each invoice.' });

const resolution = z.object({ as: z.enum(['paid', 'void']), note: z.string(), at: timestamp });

const invoice = z
  .object({
    id: z.string().nullable(),
    external_id: z.string(),
    amount: decimal,
    paid_amount: decimal.nullable(),
    status: z.enum([
      'creating',
      'pending',
      'unresolved',
      'paid',
      'amount_mismatch',
      'test_payment',
      'failed',
      'expired',
    ]),
    service_status: z.string().nullable(),
    status_history: z.array(z.object({ at: timestamp, status: z.string() })),
    needs_decision: z.boolean(),
    resolution: resolution.nullable(),
    payment_method_id: z.string(),
    method: z.object({ type: z.string(), name: z.string().exactOptional() }).nullable(),
    created_at: timestamp,
    expires_at: timestamp.nullable(),
    checked_at: timestamp
      .nullable()
      .meta({ description: 'The last fetch whose answer told the status of this invoice, `service_status`.' }),
    answered_at: timestamp.nullable().meta({
      description:
        'The last fetch that the service has answered. Where it is not `checked_at`, that answer did not tell its status: the service seems not to know this invoice.',
    }),
    next_check_at: timestamp.nullable(),
  })
  .meta({ id: 'MerchantInvoice', description: 'An invoice of a checkout as the shop sees it.' });

const checkoutMembers = {
  id: z.string(),
  status: z.enum(checkoutStatuses),
  order_id: z.string(),
  amount: decimal.nullable(),
  amount_limits: z.object({ min_amount: decimal.exactOptional(), max_amount: decimal.exactOptional() }).nullable(),
  currency: z.string().nullable(),
  description: z.string().nullable(),
  success_url: z.string().nullable(),
  fail_url: z.string().nullable(),
  reference: z.string().nullable(),
  expires_at: timestamp.nullable(),
  metadata: z.custom<Checkout['metadata']>().meta({ type: ['object', 'null'] }),
  methods: z.array(z.string()).nullable(),
  created_at: timestamp,
  paid_at: timestamp.nullable(),
  closed_at: timestamp.nullable(),
  invoices: z.array(invoice),
};

const outcomeMembers = {
  id: z.string(),
  sequence: z.int().positive(),
  kind: z.enum(outcomeKinds),
  order_id: z.string(),
  checkout_id: z.string(),
  external_id: z.string(),
  invoice_id: z.string().nullable(),
  amount: decimal,
  expected_amount: decimal,
  mode: z.enum(['TEST', 'LIVE']),
  occurred_at: timestamp,
  decided_by: z.literal('person').exactOptional(),
  decision: z.enum(['paid', 'void']).exactOptional(),
  note: z.string().exactOptional(),
};

const delivery = z.object({ at: timestamp, status: z.int().nullable(), error: z.string().nullable() });

const storedOutcomeMembers = {
  ...outcomeMembers,
  deliveries: z.array(delivery),
  next_delivery_at: timestamp.nullable(),
  delivered_at: timestamp.nullable(),
  abandoned_at: timestamp.nullable(),
};

const storedOutcome = z.object(storedOutcomeMembers).meta({ id: 'StoredOutcome' }) satisfies z.ZodType<Outcome>;

const action = z.object({
  at: timestamp,
  action: z.enum(['update', 'reopen', 'close', 'link', 'check', 'resolve', 'redeliver']),
  target: z.string().nullable(),
  answer: z.enum(['told', 'not_told', 'no_answer', 'no_invoice']).exactOptional().meta({
    description:
      'What the service has answered to a `check`: `told`: the status of each invoice. `not_told`: not the status of one or more of them, which it seems not to know. `no_answer`: it has not answered about one or more of them within 10 s, and is asked again. `no_invoice`: there is none to ask about.',
  }),
});

const listedCheckout = z.object(checkoutMembers).meta({ id: 'MerchantCheckout' }) satisfies z.ZodType<Checkout>;

/** The components, each with the id that names it in the document. */
export const adminSchemas = {
  createParams: createParamsSchema({ endpoint: 'https://shop.example/checkout', currencies: [] }).meta({
    id: 'CreateCheckoutParams',
    description: 'Either `amount` or `amount_limits`, for an amount that the payer types.',
  }),
  changes: changesSchema.meta({ id: 'UpdateCheckoutParams', description: 'A missing member stays as it is.' }),
  resolveParams: resolveParams.meta({ id: 'ResolveParams', description: 'The decision of a person.' }),
  listQuery: listQuery.meta({ id: 'ListQuery' }),
  invoice,
  listedCheckout,
  linkedCheckout: z
    .object({ ...checkoutMembers, capability: z.string(), url: z.string() })
    .meta({ id: 'LinkedCheckout' }) satisfies z.ZodType<LinkedCheckout>,
  details: z
    .object({ ...checkoutMembers, outcomes: z.array(storedOutcome), actions: z.array(action) })
    .meta({ id: 'CheckoutDetails' }) satisfies z.ZodType<CheckoutDetails>,
  page: z
    .object({ checkouts: z.array(listedCheckout), next_cursor: z.string().nullable() })
    .meta({ id: 'CheckoutPage' }) satisfies z.ZodType<Checkouts>,
  outcomePage: z
    .object({
      outcomes: z.array(z.object({ ...storedOutcomeMembers, cursor: z.string() }).meta({ id: 'FeedOutcome' })),
      next_cursor: z.string().nullable(),
    })
    .meta({ id: 'OutcomePage' }),
  queued: z.object({ id: z.string(), status: z.literal('queued') }).meta({ id: 'QueuedOutcome' }),
  event: z
    .object({
      type: z.enum(outcomeKinds.map((kind) => `checkout.${kind}` as const)),
      timestamp,
      data: z.object(outcomeMembers).meta({ id: 'Outcome' }),
    })
    .meta({ id: 'OutcomeEvent', description: 'The body of a webhook.' }),
  problem: z
    .object({
      type: z.string(),
      title: z.string(),
      status: z.int(),
      code: z.enum(problemCodes()),
      detail: z.string().optional(),
      trace_id: z.string().optional(),
    })
    .meta({ id: 'AdminProblem', description: 'A problem document, RFC 9457.' }),
};

function problemCodes(): readonly (keyof typeof problemKinds)[] {
  return Object.keys(problemKinds).filter((code): code is keyof typeof problemKinds => code in problemKinds);
}
