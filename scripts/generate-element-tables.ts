// The tables of attributes, events, slots, parts and custom properties, from the element's JSDoc, into README.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';

const file = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));
const parse = (name: string): ts.SourceFile =>
  ts.createSourceFile(name, readFileSync(file(name), 'utf8'), ts.ScriptTarget.Latest, true);

const classesOf = (source: ts.SourceFile): readonly ts.ClassDeclaration[] =>
  source.statements.filter((statement) => ts.isClassDeclaration(statement));
const nameOf = (node: { readonly name?: ts.Node | undefined }): string => node.name?.getText() ?? '';
const docOf = (node: ts.Node): string =>
  ts
    .getJSDocCommentsAndTags(node)
    .map((doc) => ts.getTextOfJSDocComment(doc.comment) ?? '')
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();

const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, heads.map(() => '---'), ...rows.map((row) => row.map(cell))];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/** The tags of the class, such as every `@slot name - What it is.` */
function tagsOf(element: ts.ClassDeclaration, tag: string): readonly (readonly [string, string])[] {
  const found = element.getFullText().matchAll(new RegExp(`@${tag} (?:\\{\\w+\\} )?(\\S+) - (.+)`, 'g'));
  return [...found].map(([, name = '', text = '']) => [name, text]);
}

/** What a page can set: the reactive properties, and `lang`, which every element has. */
function attributesOf(element: ts.ClassDeclaration): readonly (readonly string[])[] {
  const fields = element.members.filter((member) => ts.isPropertyDeclaration(member));
  const declared = fields.find((field) => nameOf(field) === 'properties')?.initializer;
  if (declared === undefined || !ts.isObjectLiteralExpression(declared)) throw new Error('no static properties');
  const rows = declared.properties.map((property) => {
    const name = nameOf(property);
    const [, given] = /attribute: (?:'([^']+)'|false)/.exec(property.getText()) ?? [];
    const attribute = property.getText().includes('attribute: false') ? '–' : code(given ?? name.toLowerCase());
    const field = fields.find((one) => nameOf(one) === name);
    const start = field?.initializer?.getText().replaceAll("'", '') ?? '';
    const type = field?.type?.getText() ?? (/^(?:true|false)$/.test(start) ? 'boolean' : 'string');
    const value = [code(type.replaceAll("'", '')), code(start)].filter((part) => part !== '').join(', ');
    return [attribute, code(name), value, field === undefined ? '' : docOf(field)];
  });
  const lang = [
    '`lang`',
    '`lang`',
    '`string`',
    'The language, BCP 47; else the nearest ancestor’s, else the browser’s.',
  ];
  return [...rows, lang];
}

/** The public fields of each event's class, by its name. */
function fieldsOfEvents(): ReadonlyMap<string, string> {
  return new Map(
    classesOf(parse('src/view/pay-invoice.events.ts')).map((event) => {
      const fields = event.members.filter((member) => ts.isPropertyDeclaration(member)).map(nameOf);
      return [nameOf(event), fields.map(code).join(', ')];
    }),
  );
}

/** All tables, as Markdown. */
export function elementTables(): string {
  const element = classesOf(parse('src/view/pay-invoice-element.ts')).find(
    (one) => nameOf(one) === 'PayInvoiceElement',
  );
  if (element === undefined) throw new Error('no element');
  const fields = fieldsOfEvents();
  const types = new Map(
    [...element.getFullText().matchAll(/@fires \{(\w+)\} (\S+)/g)].map(([, type = '', name = '']) => [name, type]),
  );
  const named = (tag: string): readonly (readonly string[])[] =>
    tagsOf(element, tag).map(([name, text]) => {
      const [, property = name, start = ''] = /^\[([^=\]]+)=?([^\]]*)\]$/.exec(name) ?? [];
      return tag === 'cssprop' ? [code(property), code(start), text] : [code(name), text];
    });
  const events = tagsOf(element, 'fires').map(([name, text]) => [
    code(name),
    text,
    fields.get(types.get(name) ?? '') ?? '',
  ]);
  return [
    `### Attributes and properties\n\n${table(['attribute', 'property', 'type, default', 'meaning'], attributesOf(element))}`,
    `### Events\n\nAll are \`Event\` subclasses that bubble and are composed; their types are in \`HTMLElementEventMap\`.\n\n${table(['event', 'when', 'fields'], events)}`,
    `### Slots\n\n${table(['slot', 'place'], named('slot'))}`,
    `### Parts\n\n${table(['part', 'what it is'], named('csspart'))}`,
    `### Custom properties\n\n${table(['property', 'default', 'meaning'], named('cssprop'))}`,
  ].join('\n\n');
}

const place = /(<!-- tables: .*? -->\n)[^]*?(\n<!-- end of the tables -->)/;

/** A document with its tables as they should be. */
export async function withTables(text: string): Promise<string> {
  if (!place.test(text)) throw new Error('there is no place for the tables');
  const tables = await format(elementTables(), { ...(await resolveConfig('README.md')), parser: 'markdown' });
  return text.replace(place, (_, start: string, end: string) => `${start}\n${tables}${end}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const readme = file('README.md');
  writeFileSync(readme, await withTables(readFileSync(readme, 'utf8')));
}
