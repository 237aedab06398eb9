// The parameters of the admin API for its OpenAPI document.
import { maxWaitSeconds } from '../../../src/standalone/admin-api.ts';
import type { Json } from './document.ts';

/** What the parameters of the list select. */
const listDescriptions: Readonly<Record<string, string>> = {
  order_id: 'The checkout of this order.',
  search:
    "Exactly an order, a reference, or an id: of a checkout, an attempt, an outcome, or the service's of an invoice.",
  undelivered: 'Those with an outcome that the shop has not received.',
  needs_decision: 'Those about which a person has to decide.',
  kind: 'Those with an outcome of this kind.',
  status: 'Those that have this status now.',
  created_after: 'Those that were created after this time.',
  created_before: 'Those that were created before this time.',
  cursor: 'The `next_cursor` of the page before.',
};
const queryParameter = (name: string, schema: Json, description: string): Json => ({
  name,
  in: 'query',
  description,
  schema,
});
const limitOf = (what: string): Json =>
  queryParameter(
    'limit',
    { type: 'integer', minimum: 1, maximum: 500, default: 100 },
    `How many ${what} a page has at most.`,
  );

/** The parameters of the list, by the schemas of its query. A flag is `1` in a query. */
export const createListParameters = (schemas: Readonly<Record<string, Json>>): readonly Json[] =>
  Object.entries(schemas).map(([name, schema]) => {
    if (name === 'limit') return limitOf('checkouts');
    const description = listDescriptions[name];
    if (description === undefined) throw new Error(`a parameter without a description: ${name}`);
    return queryParameter(name, schema['type'] === 'boolean' ? { type: 'string', const: '1' } : schema, description);
  });

export const feedParameters = [
  queryParameter('after', { type: 'string' }, 'The cursor of the last outcome that was read.'),
  limitOf('outcomes'),
  queryParameter(
    'wait',
    { type: 'integer', minimum: 0, maximum: maxWaitSeconds },
    'How many seconds to wait for an outcome when there is none.',
  ),
];

export const idParameter = (kind: string): Json => ({
  name: 'id',
  in: 'path',
  required: true,
  description: `The \`id\` of the ${kind}.`,
  schema: { type: 'string' },
});
export const checkoutId = [idParameter('checkout')];
