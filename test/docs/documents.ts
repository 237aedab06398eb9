import { readdirSync, readFileSync } from 'node:fs';

/** A piece of code in a document. */
export interface Block {
  readonly language: string;
  readonly code: string;
  /** The file that it is, where its name stands before it, as in “`shop.ts`:”. */
  readonly file: string | undefined;
  /** Where it stands, such as `docs/security.md:12`. */
  readonly place: string;
}

export interface Document {
  /** From the project's root. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** The text without its pieces of code. */
  readonly prose: string;
}

const fence = /^```(\w*)\n([^]*?)^```$/gm;

function read(path: string): Document {
  const text = readFileSync(path, 'utf8');
  const blocks = [...text.matchAll(fence)].map(({ index, 1: language = '', 2: code = '' }) => {
    const line = text.slice(0, index).split('\n').length + 1;
    const [, file] = /`([\w./-]+)`:\n\n$/.exec(text.slice(0, index)) ?? [];
    return { language, code, file, place: `${path}:${line}` };
  });
  return { path, text, blocks, prose: text.replaceAll(fence, '') };
}

/** README.md and what is in docs. */
export const documents: readonly Document[] = [
  'README.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].map(read);

export function documentOf(path: string): Document {
  const document = documents.find((one) => one.path === path);
  if (document === undefined) throw new Error(`there is no ${path}`);
  return document;
}

/** The piece of code that is a file of that name. */
export function fileIn({ path, blocks }: Document, name: string): string {
  const block = blocks.find(({ file }) => file === name);
  if (block === undefined) throw new Error(`${path} has no ${name}`);
  return block.code;
}

/** The commands of the first piece for a shell that begins so. */
export function shellIn({ path, blocks }: Document, start: string): string {
  const block = blocks.find(({ language, code }) => language === 'sh' && code.startsWith(start));
  if (block === undefined) throw new Error(`${path} has no command that begins with ${start}`);
  return block.code;
}
