// Functions for the OpenAPI documents: their head, components from zod schemas, references, and the text of the file.
import { format } from 'prettier';
import { z } from 'zod';

/** A JSON object of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

/** Additional keywords of a schema or a field, by `Component` or `Component.field`. */
export type Notes = Readonly<Record<string, Json>>;

/** Removes keywords that zod writes and a reader does not need. */
function omitUselessKeywords({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  // Bounds of safe integers say nothing about the API, and every JSON key is a string.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  delete jsonSchema.propertyNames;
  // Generators of clients require a member that has a default.
  if (jsonSchema.default === null) delete jsonSchema.default;
}

/**
 * The components of an OpenAPI 3.1 document, JSON Schema 2020-12, in alphabetical order. Schemas with an id in the
 * registry become separate components. Throws when a note names a schema or field that does not exist.
 */
export function createComponents(
  schemas: Readonly<Record<string, z.ZodType>>,
  notes: Notes,
  metadata?: z.core.$ZodRegistry<{ id?: string | undefined }>,
): Json {
  const { $defs = {} } = z.toJSONSchema(z.object(schemas), {
    io: 'input',
    unrepresentable: 'any', // a note, or the registry, says what such a schema takes
    override: omitUselessKeywords,
    ...(metadata && { metadata }),
  });
  for (const [location, keywords] of Object.entries(notes)) {
    const [id = '', field] = location.split('.');
    const schema = field === undefined ? $defs[id] : $defs[id]?.properties?.[field];
    if (typeof schema !== 'object') throw new Error(`notes on what is not there: ${location}`);
    Object.assign(schema, keywords);
  }
  // zod gives schemas without an id, such as "any JSON value", names like `__schema0`; a note has replaced them.
  const namedSchemas = Object.entries($defs).filter(([id]) => !id.startsWith('__'));
  const text = JSON.stringify(Object.fromEntries(namedSchemas.sort(([a], [b]) => (a < b ? -1 : 1))));
  if (text.includes('/__')) throw new Error('a schema without an id is used twice: name it');
  return z.looseObject({}).parse(JSON.parse(text.replaceAll('#/$defs/', '#/components/schemas/')));
}

/** The beginning of each document: what it is, which version, and where it is served. */
export const createHead = (title: string, version: string, description: string, servers: readonly Json[]): Json => ({
  openapi: '3.1.0',
  info: {
    title,
    version,
    license: { name: 'MIT', identifier: 'MIT' },
    contact: { name: 'The authors of pay-invoice' },
    description,
  },
  jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
  servers,
});

/** A server whose address the client sets. */
export const createServer = (name: string, example: string, description: string): Json => ({
  url: `{${name}}`,
  variables: { [name]: { default: example, description } },
});

/** A reference to a component. */
export function createReference(kind: 'schemas' | 'headers' | 'parameters' | 'responses', name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}

/** Formats a document as the text of its file. */
export function formatDocument(document: Json): Promise<string> {
  return format(JSON.stringify(document), { parser: 'json', printWidth: 120 });
}
