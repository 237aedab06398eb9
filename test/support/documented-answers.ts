import assert from 'node:assert/strict';
import { z } from 'zod';
import { checkoutDocument } from '../../scripts/generate/openapi/checkout.ts';

const header = z.object({ required: z.boolean().optional(), $ref: z.string().optional() });
const operation = z.object({
  responses: z.record(z.string(), z.object({ headers: z.record(z.string(), header) })),
});
const { paths, components } = z
  .object({
    paths: z.record(z.string(), z.record(z.string(), operation)),
    components: z.object({ headers: z.record(z.string(), header) }),
  })
  .parse(checkoutDocument('0.0.0'));

/** Each path of the document as a pattern of the path below the endpoint. */
const patterns = Object.entries(paths).map(
  ([path, operations]) => [new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), operations] as const,
);

/** The header that OpenAPI has another place for, and those of HTTP itself. */
const describedElsewhere = ['content-type', 'content-length', 'transfer-encoding', 'connection', 'keep-alive', 'date'];

/**
 * Checks that the OpenAPI document has the status of a response, and exactly its headers. A path that is not in the document is not
 * checked.
 * @param path - below the endpoint, without a query
 */
export function checkDocumented(method: string, path: string, { status, headers }: Response): void {
  const [, operations] = patterns.find(([pattern]) => pattern.test(path)) ?? [];
  if (operations === undefined) return;
  // Another method is listed with those that the path has.
  const responses = (operations[method.toLowerCase()] ?? Object.values(operations)[0])?.responses ?? {};
  const documented = responses[status]?.headers ?? assert.fail(`${method} ${path}: ${status} is not documented`);
  const isRequired = ([, { required, $ref }]: readonly [string, z.output<typeof header>]): boolean =>
    required ?? components.headers[$ref?.split('/').at(-1) ?? '']?.required ?? false;
  const names = Object.keys(documented).map((name) => name.toLowerCase());
  for (const name of headers.keys())
    assert.ok([...names, ...describedElsewhere].includes(name), `${method} ${path}: ${status} has ${name}`);
  for (const [name] of Object.entries(documented).filter(isRequired))
    assert.ok(headers.has(name), `${method} ${path}: ${status} has no ${name}`);
}
