// Writes the tables of attributes, events, slots, parts and custom properties into the documents, from the build's manifest.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { table } from '../markdown-table.ts';
import { readContract, settableFields, type Contract } from './manifest/read-manifest.ts';

const toProjectPath = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));

const escapeCell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text = ''): string => (text === '' ? '' : `\`${text}\``);

const formatTable = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  table(
    header,
    rows.map((row) => row.map(escapeCell)),
  );

/** The rows of what a page can set: the properties with their attributes, and attributes that every element has. */
function settingRows(contract: Contract): readonly (readonly string[])[] {
  const removeQuotes = (text = ''): string => text.replaceAll("'", '');
  const formatType = (type: string | undefined, defaultValue: string | undefined): string =>
    [removeQuotes(type).replace(/ \| undefined$/, ''), removeQuotes(defaultValue)]
      .filter((part) => part !== '')
      .map(code)
      .join(', ');
  const ownRows = settableFields(contract).map(({ name, description, type, default: defaultValue, attribute }) => [
    attribute === undefined ? '–' : code(attribute),
    code(name),
    formatType(type?.text, defaultValue),
    description,
  ]);
  const globalRows = contract.attributes
    .filter(({ fieldName }) => fieldName === undefined)
    .map(({ name, description, type }) => [code(name), code(name), formatType(type?.text, undefined), description]);
  return [...ownRows, ...globalRows];
}

/** The fields of each class of events, by its name. */
function fieldsOfEvents(): ReadonlyMap<string, string> {
  const source = readFileSync(toProjectPath('src/view/pay-invoice.events.ts'), 'utf8');
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
  const describedRows = (items: Contract['slots']): readonly (readonly string[])[] =>
    items.map(({ name, description }) => [code(name), description]);
  const events = contract.events.map(({ name, description, type }) => {
    const eventFields = fields.get(type.text);
    if (eventFields === undefined) throw new Error(`there is no class ${type.text} of ${name}`);
    return [code(name), description, eventFields];
  });
  const properties = contract.cssProperties.map((property) => [
    code(property.name),
    code(property.default),
    property.description,
  ]);
  return new Map([
    [
      'attributes',
      `### Attributes and properties\n\n${formatTable(['attribute', 'property', 'type, default', 'meaning'], settingRows(contract))}`,
    ],
    [
      'events',
      `### Events\n\nAll are \`Event\` subclasses that bubble and are composed. \`HTMLElementEventMap\` has their types.\n\n${formatTable(['event', 'when', 'fields'], events)}`,
    ],
    ['slots', formatTable(['slot', 'place'], describedRows(contract.slots))],
    ['parts', formatTable(['part', 'what it is'], describedRows(contract.cssParts))],
    ['properties', formatTable(['property', 'default', 'meaning'], properties)],
  ]);
}

/** The documents that have tables of the element. */
export const documentsWithTables = ['README.md', 'docs/theming.md'] as const;

const marksPattern = /(<!-- element: ([\w, ]+?) \(.*?\) -->\n)[^]*?(<!-- \/element -->)/g;

/** Writes the tables between the marks of a document. Throws when the document has no marks, or a mark has an unknown name. */
export async function withTables(text: string, contract: Contract): Promise<string> {
  const tables = elementTables(contract);
  const options = { ...(await resolveConfig('README.md')), parser: 'markdown' };
  let result = text;
  let sectionCount = 0;
  for (const [wholeSection, start = '', names = '', end = ''] of text.matchAll(marksPattern)) {
    sectionCount += 1;
    const requestedTables = names.split(', ').map((name) => {
      const table = tables.get(name);
      if (table === undefined) throw new Error(`there is no table of ${name}`);
      return table;
    });
    const formattedTables = await format(requestedTables.join('\n\n'), options);
    result = result.replace(wholeSection, () => `${start}\n${formattedTables}\n${end}`);
  }
  if (sectionCount === 0) throw new Error('there is no place for the tables');
  return result;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const contract = readContract(JSON.parse(readFileSync(toProjectPath('dist/custom-elements.json'), 'utf8')));
  for (const name of documentsWithTables)
    writeFileSync(toProjectPath(name), await withTables(readFileSync(toProjectPath(name), 'utf8'), contract));
}
