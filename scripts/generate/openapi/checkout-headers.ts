// The headers of the responses of the checkout API.
import { createReference, type Json } from './document.ts';

export const headers: Readonly<Record<string, Json>> = {
  ETag: {
    required: true,
    description: 'Covers what the payer sees, not the clock fields.',
    schema: { type: 'string' },
  },
  'Cache-Control': { required: true, schema: { type: 'string', const: 'no-store' } },
  Vary: { description: 'Answers differ by `Origin`.', schema: { type: 'string' } },
  'X-Content-Type-Options': { schema: { type: 'string', const: 'nosniff' } },
  'Access-Control-Allow-Origin': {
    description: 'The origin of the request, when it is an allowed one.',
    schema: { type: 'string' },
  },
  'Access-Control-Expose-Headers': {
    description: 'With an allowed origin: the headers that its page may read.',
    schema: { type: 'string' },
  },
  'Access-Control-Allow-Methods': { description: 'With an allowed origin.', schema: { type: 'string' } },
  'Access-Control-Allow-Headers': { description: 'With an allowed origin.', schema: { type: 'string' } },
  'Access-Control-Max-Age': {
    description: 'With an allowed origin: how many seconds the browser may remember this answer.',
    schema: { type: 'string' },
  },
  'Preference-Applied': {
    description: 'The `Prefer` that was applied: the answer was held.',
    schema: { type: 'string', examples: ['wait=25'] },
  },
  Allow: { required: true, description: 'The methods of the path.', schema: { type: 'string' } },
  'Retry-After': { required: true, description: 'Seconds, or an HTTP date.', schema: { type: 'string' } },
};

/** Headers that every response of our backend has. Only a checkout needs the first one, which is then required. */
const commonHeaders = [
  'Cache-Control',
  'Vary',
  'X-Content-Type-Options',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
];
export const preflightHeaders = [
  'Access-Control-Allow-Methods',
  'Access-Control-Allow-Headers',
  'Access-Control-Max-Age',
];

/** A header that a response may have. */
export const optionalHeader = (name: string): Json =>
  headers[name]?.['required'] === true ? { ...headers[name], required: false } : createReference('headers', name);

/** The headers of a response: those of every response, and `names`. */
export function createHeaders(names: readonly string[]): Json {
  const optional = commonHeaders.filter((name) => !names.includes(name));
  return Object.fromEntries([
    ...names.map((name): [string, Json] => [name, createReference('headers', name)]),
    ...optional.map((name): [string, Json] => [name, optionalHeader(name)]),
  ]);
}
