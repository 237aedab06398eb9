import type { Contract } from './read.ts';

const markdown = (value: string) => ({ kind: 'markdown', value });

/** The values of a union of strings. */
const valuesOf = (type: string | undefined): readonly string[] =>
  type !== undefined && /^'[^']*'( \| '[^']*')*$/.test(type) ? type.split(' | ').map((text) => text.slice(1, -1)) : [];

/** What VS Code's `html.customData` takes. */
export function vscodeHtml({ tagName, summary, description, attributes, slots, events }: Contract): object {
  const list = (title: string, items: readonly { name: string; description: string }[]): string =>
    `\n\n**${title}**\n${items.map((item) => `- \`${item.name}\` – ${item.description}`).join('\n')}`;
  return {
    version: 1.1,
    tags: [
      {
        name: tagName,
        description: markdown(`${summary}\n\n${description}${list('Events', events)}${list('Slots', slots)}`),
        attributes: attributes.map(({ name, type, ...attribute }) => ({
          name,
          description: markdown(attribute.description),
          ...(type?.text === 'boolean' && { valueSet: 'v' }),
          values: valuesOf(type?.text).map((value) => ({ name: value })),
        })),
      },
    ],
  };
}

/** What VS Code's `css.customData` takes. */
export function vscodeCss({ tagName, cssProperties, cssParts }: Contract): object {
  return {
    version: 1.1,
    properties: cssProperties.map(({ name, description }) => ({ name, description: markdown(description) })),
    pseudoElements: cssParts.map(({ name, description }) => ({
      name: `::part(${name})`,
      description: markdown(`${description} (\`<${tagName}>\`)`),
    })),
  };
}

/** What JetBrains' editors read by themselves, named in package.json. */
export function webTypes(contract: Contract, version: string): object {
  const { tagName, name, description, attributes, events, slots, cssParts, cssProperties, members } = contract;
  return {
    $schema: 'https://json.schemastore.org/web-types',
    name: 'pay-invoice',
    version,
    'description-markup': 'markdown',
    contributions: {
      html: {
        elements: [
          {
            name: tagName,
            description,
            attributes: attributes.map(({ type, default: value, ...attribute }) => ({
              ...attribute,
              fieldName: undefined,
              default: value?.replaceAll("'", ''),
              value: { type: type?.text ?? 'string' },
            })),
            slots,
            js: {
              properties: members
                .filter(({ kind }) => kind === 'field')
                .map((member) => ({
                  name: member.name,
                  description: member.description,
                  type: `${name}['${member.name}']`,
                })),
              events: events.map((event) => ({
                name: event.name,
                description: event.description,
                type: event.type.text,
              })),
            },
            css: {
              parts: cssParts,
              properties: cssProperties,
            },
          },
        ],
      },
    },
  };
}
