import { readdirSync, readFileSync } from 'node:fs';

/** A fenced block of a document. */
export interface Block {
  readonly language: string;
  readonly code: string;
  /** The name of the file that the block shows, when a line such as “`shop.ts`:” precedes it. */
  readonly file: string | undefined;
  /** The nearest heading of the second level before it; empty when there is none. */
  readonly section: string;
  /** The file and the line where it begins, such as `SECURITY.md:12`. */
  readonly place: string;
}

export interface Document {
  /** The path from the project's root. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** The text without its fenced blocks. */
  readonly prose: string;
}

const fence = /^```(\w*)\n([^]*?)^```$/gm;

export function readDocument(path: string): Document {
  const text = readFileSync(path, 'utf8');
  const blocks = [...text.matchAll(fence)].map(({ index, 1: language = '', 2: code = '' }) => {
    const line = text.slice(0, index).split('\n').length + 1;
    const [, file] = /`([\w./[\]-]+)`:\n\n$/.exec(text.slice(0, index)) ?? [];
    const heading = text
      .slice(0, index)
      .split('\n')
      .findLast((one) => one.startsWith('## '));
    const section = heading?.slice('## '.length) ?? '';
    return { language, code, file, section, place: `${path}:${line}` };
  });
  return { path, text, blocks, prose: text.replaceAll(fence, '') };
}

/** The first group of each match, each once; the whole match where the group is empty. */
export const findMatches = (text: string, pattern: RegExp): readonly string[] => [
  ...new Set([...text.matchAll(pattern)].map(([whole, part]) => part ?? whole)),
];

const pagesIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);

/** The documents that are shipped with the package. */
export const shippedDocuments: readonly Document[] = [
  'README.md',
  'llms.txt',
  'SECURITY.md',
  'CHANGELOG.md',
  ...pagesIn('docs'),
  ...pagesIn('docs/ru'),
].map(readDocument);

/** All documents: those of the package, and those for the project's own developers. */
export const documents: readonly Document[] = [
  ...shippedDocuments,
  ...['AGENTS.md', 'CONTRIBUTING.md', ...pagesIn('docs/development')].map(readDocument),
];

/** Each Russian page with the English page that it translates. */
export const translations: readonly (readonly [english: Document, russian: Document])[] = documents
  .filter(({ path }) => path.startsWith('docs/ru/'))
  .map((russian) => {
    const name = russian.path.slice('docs/ru/'.length);
    return [documentOf(name === 'README.md' ? name : `docs/${name}`), russian];
  });

export function documentOf(path: string): Document {
  const document = documents.find((one) => one.path === path);
  if (document === undefined) throw new Error(`there is no ${path}`);
  return document;
}

/** Returns the block that shows the file of that name. */
export function fileIn({ path, blocks }: Document, name: string): string {
  const block = blocks.find(({ file }) => file === name);
  if (block === undefined) throw new Error(`${path} has no ${name}`);
  return block.code;
}

/** Returns the texts of the files that a section shows, by their paths. */
export function filesOfSection({ path, blocks }: Document, section: string): Readonly<Record<string, string>> {
  const files = blocks.flatMap(({ section: sectionOfBlock, file, code }) =>
    sectionOfBlock === section && file !== undefined ? [[file, code] as const] : [],
  );
  if (files.length === 0) throw new Error(`${path} has no files under ${section}`);
  return Object.fromEntries(files);
}

/** Returns the first shell block that begins with `start`. */
export function shellIn({ path, blocks }: Document, start: string): string {
  const block = blocks.find(({ language, code }) => language === 'sh' && code.startsWith(start));
  if (block === undefined) throw new Error(`${path} has no command that begins with ${start}`);
  return block.code;
}
