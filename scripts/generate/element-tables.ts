// Writes the tables of attributes, events, slots, parts and custom properties into the documents, from the build's manifest.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { readContract, settable, type Contract } from './manifest/read-manifest.ts';

const file = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));

const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text = ''): string => (text === '' ? '' : `\`${text}\``);

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, heads.map(() => '---'), ...rows.map((row) => row.map(cell))];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/** What a page can set: the properties with their attributes, and the attributes that every element has. */
function settings(contract: Contract): readonly (readonly string[])[] {
  const plain = (text = ''): string => text.replaceAll("'", '');
  const typeOf = (type: string | undefined, start: string | undefined): string =>
    [plain(type).replace(/ \| undefined$/, ''), plain(start)]
      .filter((part) => part !== '')
      .map(code)
      .join(', ');
  const own = settable(contract).map(({ name, description, type, default: start, attribute }) => [
    attribute === undefined ? '–' : code(attribute),
    code(name),
    typeOf(type?.text, start),
    description,
  ]);
  const everyones = contract.attributes
    .filter(({ fieldName }) => fieldName === undefined)
    .map(({ name, description, type }) => [code(name), code(name), typeOf(type?.text, undefined), description]);
  return [...own, ...everyones];
}

/** The fields of each class of events, by its name. */
function fieldsOfEvents(): ReadonlyMap<string, string> {
  const source = ['pay-invoice', 'payment-part']
    .map((name) => readFileSync(file(`src/view/${name}.events.ts`), 'utf8'))
    .join('\n');
  const classes = source.matchAll(/^export class (\w+) [^]*?\n\}$/gm);
  return new Map(
    [...classes].map(([body, name = '']) => {
      const fields = [...body.matchAll(/^ {2}readonly (\w+): /gm)].map(([, field]) => code(field));
      return [name, fields.join(', ')];
    }),
  );
}

/** The tables of an element as Markdown, by the names in the documents' marks. */
function elementTables(contract: Contract): ReadonlyMap<string, string> {
  const fields = fieldsOfEvents();
  const described = (items: Contract['slots']): readonly (readonly string[])[] =>
    items.map(({ name, description }) => [code(name), description]);
  const events = contract.events.map(({ name, description, type }) => {
    const known = fields.get(type.text);
    if (known === undefined) throw new Error(`there is no class ${type.text} of ${name}`);
    return [code(name), description, known];
  });
  const properties = contract.cssProperties.map((one) => [code(one.name), code(one.default), one.description]);
  return new Map([
    [
      'attributes',
      `### Attributes and properties\n\n${table(['attribute', 'property', 'type, default', 'meaning'], settings(contract))}`,
    ],
    [
      'events',
      `### Events\n\nAll are \`Event\` subclasses that bubble and are composed. \`HTMLElementEventMap\` has their types.\n\n${table(['event', 'when', 'fields'], events)}`,
    ],
    ['slots', table(['slot', 'place'], described(contract.slots))],
    ['parts', table(['part', 'what it is'], described(contract.cssParts))],
    ['properties', table(['property', 'default', 'meaning'], properties)],
  ]);
}

/** The documents that have tables of the element. */
export const documentsWithTables = ['README.md', 'docs/theming.md'] as const;

const place = /(<!-- element: ([\w, ]+?) \(.*?\) -->\n)[^]*?(<!-- \/element -->)/g;

/** A document with its tables up to date. Throws when it has no marks, or one with an unknown name. */
export async function withTables(text: string, contract: Contract): Promise<string> {
  const tables = elementTables(contract);
  const options = { ...(await resolveConfig('README.md')), parser: 'markdown' };
  let result = text;
  let places = 0;
  for (const [whole, start = '', names = '', end = ''] of text.matchAll(place)) {
    places += 1;
    const wanted = names.split(', ').map((name) => {
      const found = tables.get(name);
      if (found === undefined) throw new Error(`there is no table of ${name}`);
      return found;
    });
    const written = await format(wanted.join('\n\n'), options);
    result = result.replace(whole, () => `${start}\n${written}\n${end}`);
  }
  if (places === 0) throw new Error('there is no place for the tables');
  return result;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const contract = readContract(JSON.parse(readFileSync(file('dist/custom-elements.json'), 'utf8')));
  for (const name of documentsWithTables)
    writeFileSync(file(name), await withTables(readFileSync(file(name), 'utf8'), contract));
}
