// Reads the manifest that the analyzer wrote, and checks that everything public in it has a description.
import { z } from 'zod';

const describedSchema = z.object({ name: z.string(), description: z.string().default('') });
const typeSchema = z.object({ text: z.string() });

const declarationSchema = z.looseObject({
  kind: z.string(),
  name: z.string(),
  tagName: z.string().optional(),
  description: z.string().default(''),
  summary: z.string().default(''),
  attributes: z
    .array(
      describedSchema.extend({
        type: typeSchema.optional(),
        default: z.string().optional(),
        fieldName: z.string().optional(),
      }),
    )
    .default([]),
  members: z
    .array(
      z.looseObject({
        ...describedSchema.shape,
        kind: z.string(),
        privacy: z.string().optional(),
        readonly: z.boolean().default(false),
        type: typeSchema.optional(),
        default: z.string().optional(),
        attribute: z.string().optional(),
      }),
    )
    .default([]),
  events: z
    .array(z.looseObject({ name: z.string().optional(), description: z.string().default(''), type: typeSchema }))
    .default([]),
  slots: z.array(describedSchema).default([]),
  cssParts: z.array(describedSchema).default([]),
  cssProperties: z.array(describedSchema.extend({ default: z.string().optional() })).default([]),
});

const manifestSchema = z.object({ modules: z.array(z.looseObject({ declarations: z.array(declarationSchema) })) });

/** The public interface of the element, from its JSDoc. */
export type Contract = ReturnType<typeof readContract>;

/** Reads the manifest of the analyzer. Throws when the element or the description of one of its members is missing. */
export function readContract(json: unknown) {
  const element = manifestSchema.parse(json).modules.flatMap(({ declarations }) => declarations).find(({ tagName }) => tagName !== undefined); // prettier-ignore
  if (element?.tagName === undefined) throw new Error('there is no element in the manifest');
  const contract = {
    ...element,
    tagName: element.tagName,
    // The analyzer lists an event without a name when the code computes the name. JSDoc lists the same event with its name.
    events: element.events.flatMap(({ name, ...event }) => (name === undefined ? [] : [{ ...event, name }])),
    members: element.members.filter(({ privacy, name }) => privacy !== 'private' && !name.startsWith('#')),
  };
  const { attributes, members, events, slots, cssParts, cssProperties } = contract;
  for (const { name, description } of [attributes, members, events, slots, cssParts, cssProperties].flat())
    if (description === '') throw new Error(`${name} has no description in the element's JSDoc`);
  return contract;
}

/** The properties that a page may set. */
export function settableFields({ members }: Contract) {
  return members.filter(({ kind, readonly }) => kind === 'field' && !readonly);
}
