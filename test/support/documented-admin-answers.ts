import assert from 'node:assert/strict';
import { z } from 'zod';
import { serverDocument } from '../../scripts/generate/openapi/server.ts';

const content = z.record(z.string(), z.object({ schema: z.unknown() }));
const header = z.object({ $ref: z.string().optional(), required: z.boolean().optional() });
const operation = z.object({
  parameters: z.array(z.object({ name: z.string(), in: z.string(), schema: z.unknown() })).optional(),
  requestBody: z.object({ content }).optional(),
  responses: z.record(z.string(), z.object({ content: content.optional(), headers: z.record(z.string(), header) })),
});
const { paths, webhooks, components } = z
  .object({
    paths: z.record(z.string(), z.unknown()),
    webhooks: z.object({ outcome: z.object({ post: operation.omit({ responses: true }) }) }),
    components: z.object({ schemas: z.unknown(), headers: z.record(z.string(), header) }),
  })
  .parse(serverDocument('0.0.0'));

const adminOperations = Object.entries(paths)
  .filter(([path]) => path.startsWith('/admin/'))
  .map(
    ([path, operations]) =>
      [
        new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
        z.record(z.string(), operation).parse(operations),
      ] as const,
  );

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A schema of the document in which a member that is not described is wrong. A client must ignore it; the server must describe it. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isObject(schema)) return schema;
  const isWhole = isObject(schema['properties']) && Array.isArray(schema['required']);
  const members = Object.entries(schema).map(([name, member]): [string, unknown] => [
    name,
    name === '$ref' ? String(member).replace('#/components/schemas/', '#/$defs/') : closed(member),
  ]);
  return { ...(isWhole && { additionalProperties: false }), ...Object.fromEntries(members) };
}
const $defs = z.record(z.string(), z.looseObject({})).parse(closed(components.schemas));

const known = new Map<unknown, z.ZodType>();
function matches(schema: unknown, value: unknown, what: string): void {
  const inner = closed(schema);
  assert.ok(isObject(inner));
  const parser = known.get(schema) ?? z.fromJSONSchema({ ...inner, $defs });
  known.set(schema, parser);
  const { success, error } = parser.safeParse(value);
  assert.ok(success, `${what} is not as documented: ${error?.message ?? ''}`);
}

interface AdminAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: unknown;
}

/** Headers of HTTP itself, which every server sends, and of a proxy in front. */
const ofHttp =
  /^(?:content-(?:type|length|encoding)|date|connection|keep-alive|transfer-encoding|vary|server|via|age|x-varnish|accept-ranges)$/;

/** Each header that was sent is in the document, and each that the document requires was sent. */
function checkHeaders(sent: Headers, documented: Readonly<Record<string, z.infer<typeof header>>>, what: string): void {
  const known = new Set(Object.keys(documented).map((name) => name.toLowerCase()));
  const unknown = [...sent.keys()].filter((name) => !ofHttp.test(name) && !known.has(name));
  assert.deepEqual(unknown, [], `headers of ${what} that are not documented`);
  for (const [name, { $ref, required }] of Object.entries(documented))
    if (required ?? ($ref !== undefined && components.headers[name]?.required))
      assert.ok(sent.has(name), `${what} has no ${name}`);
}

/**
 * Checks that the OpenAPI document has an answer of the admin API: its status, its type and its body. When the server has accepted the
 * request, the document has its query and its body too. A path that is not in the document is not checked.
 */
export function checkAdminAnswer(method: string, target: string, sent: unknown, answer: AdminAnswer): void {
  const { pathname, searchParams } = new URL(target, 'http://host');
  const [, operations] = adminOperations.find(([pattern]) => pattern.test(pathname)) ?? [];
  const called = operations?.[method.toLowerCase()];
  // Another method is listed with those that the path has.
  const { parameters = [], requestBody, responses } = called ?? Object.values(operations ?? {})[0] ?? {};
  if (responses === undefined) return;
  const what = `${method} ${pathname}: ${answer.status}`;
  const response = responses[answer.status] ?? assert.fail(`${what} is not documented`);
  checkHeaders(answer.headers, response.headers, what);
  const documented = response.content ?? {};
  const [type = '', { schema } = assert.fail(what)] = Object.entries(documented)[0] ?? [];
  assert.equal(answer.headers.get('content-type'), type, what);
  matches(schema, answer.json, what);
  if (answer.status >= 300) return;
  for (const [name, text] of searchParams) {
    const parameter = parameters.find((one) => one.in === 'query' && one.name === name);
    const value = isObject(parameter?.schema) && parameter.schema['type'] === 'integer' ? Number(text) : text;
    matches(parameter?.schema ?? assert.fail(`${what}: ${name} is not documented`), value, `${what}: ${name}`);
  }
  const body: unknown = typeof sent === 'string' ? JSON.parse(sent.replace(/^\ufeff/, '')) : sent;
  if (requestBody !== undefined) matches(requestBody.content['application/json']?.schema, body, `the body of ${what}`);
}

/** Checks that the OpenAPI document has the body of a webhook. */
export function checkWebhook(json: unknown): void {
  matches(webhooks.outcome.post.requestBody?.content['application/json']?.schema, json, 'the webhook');
}

/** Sends a request to the admin API of a running server: a POST where there is a body. The answer must be as the OpenAPI document says. */
export async function callAdmin(
  url: string,
  path: string,
  token: string,
  body?: object,
): Promise<{ readonly status: number; readonly json: unknown }> {
  const method = body === undefined ? 'GET' : 'POST';
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const json: unknown = await response.json();
  checkAdminAnswer(method, path, body, { status: response.status, headers: response.headers, json });
  return { status: response.status, json };
}
