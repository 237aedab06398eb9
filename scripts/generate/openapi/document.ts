import { format } from 'prettier';
import { z } from 'zod';

/** A JSON object of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

/** What the readers of a document are told about a field or a schema that its zod schema does not say. */
export type Notes = Readonly<Record<string, Json>>;

interface Definitions {
  readonly $defs?: Readonly<Record<string, unknown>>;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The same JSON with a function applied to each object in it, innermost first. */
function each(value: unknown, change: (object: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((item) => each(item, change));
  if (!isObject(value)) return value;
  return change(Object.fromEntries(Object.entries(value).map(([key, member]) => [key, each(member, change)])));
}

/** Safe-integer bounds say nothing about the API, and every JSON key is a string. */
function plain({ propertyNames, minimum, maximum, ...rest }: Json): Json {
  return {
    ...rest,
    ...(isObject(propertyNames) && propertyNames['type'] !== 'string' && { propertyNames }),
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
  };
}

const toComponents = (text: string): string => text.replace('#/$defs/', '#/components/schemas/');

/**
 * The components of an OpenAPI 3.1 document, JSON Schema 2020-12, in the order of the alphabet. Schemas that have an id
 * in the registry become components of their own. `notes` adds keywords by `Component` or `Component.field`.
 */
export function componentsOf(
  schemas: Readonly<Record<string, z.ZodType>>,
  notes: Notes,
  metadata?: z.core.$ZodRegistry<{ id?: string | undefined }>,
): Json {
  const root: Definitions = z.toJSONSchema(z.object(schemas), { io: 'input', ...(metadata && { metadata }) });
  const unused = new Set(Object.keys(notes));
  const noted = (place: string): Json => {
    unused.delete(place);
    return notes[place] ?? {};
  };
  const components = Object.entries(root.$defs ?? {}).map(([id, schema]): [string, Json] => {
    const definition = each(schema, (object) =>
      plain(typeof object['$ref'] === 'string' ? { ...object, $ref: toComponents(object['$ref']) } : object),
    );
    if (!isObject(definition)) throw new Error(`${id} is not an object`);
    const properties = isObject(definition['properties'])
      ? Object.entries(definition['properties']).map(([key, member]) => [
          key,
          { ...(isObject(member) && member), ...noted(`${id}.${key}`) },
        ])
      : undefined;
    return [id, { ...definition, ...(properties && { properties: Object.fromEntries(properties) }), ...noted(id) }];
  });
  if (unused.size > 0) throw new Error(`notes on what is not there: ${[...unused].join(', ')}`);
  return withoutUnnamed(Object.fromEntries(components.sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** Leaves out what has no name of ours, such as "any JSON value", once a note has taken its place. */
function withoutUnnamed(components: Json): Json {
  const named = Object.fromEntries(Object.entries(components).filter(([id]) => !id.startsWith('__')));
  if (JSON.stringify(named).includes('/__')) throw new Error('a schema without an id is used twice: name it');
  return named;
}

/** A reference to a component. */
export function ref(kind: 'schemas' | 'headers' | 'parameters' | 'responses', name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}

/** The text of a document's file. */
export function textOf(document: Json): Promise<string> {
  return format(JSON.stringify(document), { parser: 'json', printWidth: 120 });
}
