// Writes the decoders in src/checkout-api/decoders from the zod schemas of src/checkout-api/schemas: the browser then parses by the
// same definition as the backend, without zod. `--check` fails when the file is not current.
import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { checkout, problem } from '../../src/checkout-api/schemas/checkout-api-bodies.ts';

const target = new URL('../../src/checkout-api/decoders/generated-decoders.ts', import.meta.url);

/** The part of JSON Schema that the protocol's schemas use; anything else stops the generator. */
const jsonSchema = z.object({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  pattern: z.string().optional(),
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  anyOf: z.array(z.json()).optional(),
  items: z.json().optional(),
  properties: z.record(z.string(), z.json()).optional(),
  required: z.array(z.string()).optional(),
  $defs: z.record(z.string(), z.json()).optional(),
});

const usedFunctions = new Set<string>();

/** Imports a function of the decoders, and returns its name. */
function useFunction(name: string): string {
  usedFunctions.add(name);
  return name;
}

function formatCall(name: string, ...args: string[]): string {
  return `${useFunction(name)}(${args.join(', ')})`;
}

const definitionName = (ref: string): string => {
  const id = ref.split('/').at(-1) ?? '';
  return id.charAt(0).toLowerCase() + id.slice(1);
};

function decoderExpression(input: unknown): string {
  const schema = jsonSchema.parse(input);
  if (schema.$ref !== undefined) return definitionName(schema.$ref);
  if (schema.anyOf !== undefined) {
    const [memberSchema, nullSchema] = schema.anyOf;
    if (schema.anyOf.length !== 2 || jsonSchema.parse(nullSchema).type !== 'null')
      throw new Error('a union other than "or null"');
    return formatCall('nullable', decoderExpression(memberSchema));
  }
  if (Array.isArray(schema.type)) {
    const [memberSchema, nullSchema] = schema.type;
    if (schema.type.length !== 2 || nullSchema !== 'null') throw new Error('a union other than "or null"');
    return formatCall('nullable', decoderExpression({ ...schema, type: memberSchema }));
  }
  if (schema.enum !== undefined) return formatCall('oneOf', ...schema.enum.map((value) => `'${value}'`));
  switch (schema.type) {
    case 'string':
      return schema.pattern === undefined ? useFunction('string') : formatCall('pattern', `/${schema.pattern}/`);
    case 'boolean':
      return useFunction('boolean');
    case 'integer':
      return (schema.minimum ?? 0) > 0 && schema.maximum !== Number.MAX_SAFE_INTEGER
        ? formatCall('integer', String(schema.minimum), String(schema.maximum))
        : formatCall('integer', '0');
    case 'array':
      return formatCall('array', decoderExpression(schema.items));
    case 'object': {
      const required = new Set(schema.required);
      const members = Object.entries(schema.properties ?? {}).map(
        ([key, member]) => `  ${key}: ${memberExpression(key, member, required.has(key))},`,
      );
      return formatCall('object', `{\n${members.join('\n')}\n}`);
    }
    default:
      throw new Error(`no decoder for ${JSON.stringify(input)}`);
  }
}

/** A decoder of a member without which the page can show the rest. */
const orElse = (decoder: string, fallback: string): string => formatCall('orElse', decoder, fallback);

/** A decoder of a member that may be null or missing. */
const optional = (decoder: string, ...fallback: string[]): string => {
  return formatCall('optional', decoder.replace(/^nullable\((.*)\)$/s, '$1'), ...fallback);
};

/** What the page uses instead of a member that a backend must send, but that is not valid. */
const fallbacks: Readonly<Record<string, string>> = {
  limits: '{}',
  return_urls: '{ success_url: null, fail_url: null }',
  server_time: "''",
  poll_after_ms: '2000',
  stale: 'false',
};

/** Members that may be null and that nothing may replace: they say what the payer owes, and to whom. */
const strictMembers: readonly string[] = ['amount', 'invoice'];

function memberExpression(key: string, member: unknown, isRequired: boolean): string {
  const decoder = decoderExpression(member);
  if (!isRequired) return optional(decoder);
  if (decoder.startsWith('nullable(')) return strictMembers.includes(key) ? decoder : optional(decoder, 'null');
  const fallback = fallbacks[key];
  return fallback === undefined ? decoder : orElse(decoder, fallback);
}

/** Sorts the definitions so that each comes after those that it uses. */
function sortByDependency(definitions: Readonly<Record<string, unknown>>): string[] {
  const sortedIds: string[] = [];
  const visit = (id: string): void => {
    if (sortedIds.includes(id)) return;
    for (const [, usedId = ''] of JSON.stringify(definitions[id]).matchAll(/"#\/\$defs\/(\w+)"/g)) visit(usedId);
    sortedIds.push(id);
  };
  Object.keys(definitions).forEach(visit);
  return sortedIds;
}

/** The text of the file with the decoders of these bodies. */
function generateDecoders(bodies: Readonly<Record<string, z.ZodType>>): string {
  const root = jsonSchema.parse(z.toJSONSchema(z.object(bodies), { io: 'input' }));
  const definitions = root.$defs ?? {};
  const bodyIds = Object.values(root.properties ?? {}).map(
    (body) => jsonSchema.parse(body).$ref?.split('/').at(-1) ?? '',
  );
  const lines = sortByDependency(definitions).map((id) => {
    const constant = bodyIds.includes(id) ? `export const decode${id}: Decoder<${id}>` : `const ${definitionName(id)}`;
    return `${constant} = ${decoderExpression(definitions[id])};`;
  });
  return [
    '// Generated from src/checkout-api/schemas by `npm run generate`; do not edit. A test fails when it is not current.',
    `import type { ${bodyIds.join(', ')} } from '../schemas/checkout-api-bodies.ts';`,
    `import { ${[...usedFunctions].sort().join(', ')}, type Decoder } from './decode-value.ts';`,
    '',
    lines.join('\n\n'),
    '',
  ].join('\n');
}

const text = generateDecoders({ checkout, problem });
if (!process.argv.includes('--check')) await writeFile(target, text);
else if ((await readFile(target, 'utf8')) !== text) {
  console.error('src/checkout-api/decoders/generated-decoders.ts is not current: run `npm run generate`');
  process.exitCode = 1;
}
