// What both OpenAPI documents are made of: components from zod schemas, references, and the text of the file.
import { format } from 'prettier';
import { z } from 'zod';

/** A JSON object of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

/** Keywords that a schema or a field gets besides those of its zod schema, by `Component` or `Component.field`. */
export type Notes = Readonly<Record<string, Json>>;

/** Leaves out what zod writes and a reader does not need. */
function omitNoise({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  // Bounds of safe integers say nothing about the API, and every JSON key is a string.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  delete jsonSchema.propertyNames;
}

/**
 * The components of an OpenAPI 3.1 document, JSON Schema 2020-12, in the order of the alphabet. Schemas that have an id
 * in the registry become components of their own. Throws when a note names what is not there.
 */
export function componentsOf(
  schemas: Readonly<Record<string, z.ZodType>>,
  notes: Notes,
  metadata?: z.core.$ZodRegistry<{ id?: string | undefined }>,
): Json {
  const { $defs = {} } = z.toJSONSchema(z.object(schemas), {
    io: 'input',
    override: omitNoise,
    ...(metadata && { metadata }),
  });
  for (const [place, keywords] of Object.entries(notes)) {
    const [id = '', field] = place.split('.');
    const schema = field === undefined ? $defs[id] : $defs[id]?.properties?.[field];
    if (typeof schema !== 'object') throw new Error(`notes on what is not there: ${place}`);
    Object.assign(schema, keywords);
  }
  // zod names what has no id, such as "any JSON value", `__schema0`; a note has taken its place.
  const named = Object.entries($defs).filter(([id]) => !id.startsWith('__'));
  const text = JSON.stringify(Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1))));
  if (text.includes('/__')) throw new Error('a schema without an id is used twice: name it');
  return z.looseObject({}).parse(JSON.parse(text.replaceAll('#/$defs/', '#/components/schemas/')));
}

/** A reference to a component. */
export function ref(kind: 'schemas' | 'headers' | 'parameters' | 'responses', name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}

/** The text of a document's file. */
export function textOf(document: Json): Promise<string> {
  return format(JSON.stringify(document), { parser: 'json', printWidth: 120 });
}
