import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';
import { documents, findMatches, shippedDocuments, translations, type Document } from './documents.ts';

// What a document links to or mentions exists: pages, headings, paths of the repository, scripts of package.json.

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(path: string): readonly string[] {
  const prose = readFileSync(path, 'utf8').replaceAll(/^```[^]*?^```$/gm, '');
  const slugs = [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .trim()
      .replaceAll(/\[([^[\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  );
  return slugs.map((slug, index) => {
    const earlier = slugs.slice(0, index).filter((other) => other === slug).length;
    return earlier === 0 ? slug : `${slug}-${earlier}`;
  });
}

/** The links of a document within the project: each path from the project's root, and the anchor. */
const linksOf = ({ path, prose }: Document) =>
  findMatches(prose, /\]\(([^)\s]+)\)/g)
    .filter((link) => !/^(?:https?|mailto):/.test(link))
    .map((link) => {
      const [file = '', anchor] = link.split('#');
      return { target: file === '' ? path : posix.join(posix.dirname(path), file), anchor };
    });

/** What the package has beside its documents: package.json, `files`. */
const shippedFolders = /^(?:docs\/(?:pictures|openapi|schema)|examples)(?:\/|$)|^LICENSE$/;
const shippedPaths = new Set(shippedDocuments.map(({ path }) => path));

for (const document of documents)
  test(`the links of ${document.path} lead to files and headings, and those of the package to files of the package`, () => {
    for (const { target, anchor } of linksOf(document)) {
      assert.ok(existsSync(target), target);
      if (anchor !== undefined) assert.ok(anchorsOf(target).includes(anchor), `${target}#${anchor}`);
      if (shippedPaths.has(document.path)) assert.ok(shippedPaths.has(target) || shippedFolders.test(target), target);
    }
  });

test('every document can be reached by links from the README or the contributors’ guide', () => {
  const reachedPaths = new Set(['README.md', 'CONTRIBUTING.md']);
  for (const path of reachedPaths)
    for (const document of documents.filter((one) => one.path === path))
      for (const { target } of linksOf(document)) reachedPaths.add(target);
  for (const { path } of documents) assert.ok(reachedPaths.has(path), path);
});

const pathPattern =
  /(?<![\w./@-])((?:src|server-example|examples|demo|test|scripts|docs|\.ci|\.changeset|\.github)\/[\w./*{},-]*[\w/*}])/g;
const pagePattern = /(?<![\w./-])([\w-]+\.md)\b/g;
/** Paths that are only examples, and paths that a build creates. */
const exceptions = /^(?:src\/page\.ts|src\/(?:app\/checkout|Checkout|App|main)\.|demo\/dist|docs\/pictures\/x)/;

const files = ['src', 'server-example', 'examples', 'demo', 'scripts', 'test', 'docs'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
);

/** A path with `*` or `{a,b}` as a pattern. */
const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .replaceAll('.', '\\.')
      .replaceAll('**', '.+')
      .replaceAll(/(?<!\.)\*/g, '[^/]+')
      .replaceAll(/\{([^{}]*)\}/g, (_, choices: string) => `(?:${choices.replaceAll(',', '|')})`)}$`,
  );

const exists = (path: string): boolean =>
  exceptions.test(path) ||
  (/[*{]/.test(path) ? files.some((one) => patternOf(path).test(one)) : existsSync(path) || existsSync(`docs/${path}`));

/** The comments of a TypeScript source, without strings that look like comments. */
const commentsOf = (source: string): string =>
  [...source.matchAll(/^[ ]*(?:\/\/|\/?\*).*$|(?<=[ ])\/\/ .*$/gm)].map(([line]) => line).join('\n');

test('every path that a document, or a comment of the source, mentions exists', () => {
  const sources = files.filter((one) => /^(?:src|server-example|demo)\/.*\.[jt]s$/.test(one));
  const mentioned = [
    ...documents.flatMap(({ path, prose }) => findMatches(prose, pathPattern).map((one) => [path, one] as const)),
    ...sources.flatMap((path) => {
      const comments = commentsOf(readFileSync(path, 'utf8'));
      return [...findMatches(comments, pathPattern), ...findMatches(comments, pagePattern)].map((one) => [path, one] as const); // prettier-ignore
    }),
  ];
  assert.deepEqual(
    mentioned.filter(([, one]) => !exists(one)),
    [],
  );
});

test('every source file that the architecture page names without its whole path exists', () => {
  const page = documents.find(({ path }) => path === 'docs/development/architecture.md');
  const named = findMatches(page?.prose ?? '', /`((?:[\w-]+\/)*[\w.-]+\.ts)`/g);
  assert.ok(named.length > 100, `${named.length} names`);
  assert.deepEqual(
    named.filter((name) => !existsSync(name) && !files.some((file) => file.endsWith(`/${name}`))),
    [],
  );
});

test('every script of the project that a document names exists', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
  for (const { path, text } of documents)
    for (const name of findMatches(text, /npm run ([\w:-]+)/g)) assert.ok(name in scripts, `${path}: ${name}`);
});

// The Russian pages have the structure of the English pages. Only the English README has generated tables.
const generated = /<!-- element: .*? -->[^]*?<!-- \/element -->/g;

/** The pages to which a page links. A translated page counts as its English page. */
const linkedPages = (document: Document): readonly string[] =>
  linksOf({ ...document, prose: document.prose.replaceAll(generated, '') })
    .map(({ target }) => target.replace('docs/ru/README.md', 'README.md').replace('docs/ru/', 'docs/'))
    .sort();

for (const [english, russian] of translations)
  test(`${russian.path} has the fenced blocks and the links of ${english.path}`, () => {
    const codesOf = ({ blocks }: Document): readonly string[] => blocks.map(({ code }) => code);
    assert.deepEqual(codesOf(russian), codesOf(english));
    const ignored = new Set(['README.md', english.path]);
    const [linksOfRussian, linksOfEnglish] = [russian, english].map((one) => [
      ...new Set(linkedPages(one).filter((page) => !ignored.has(page))),
    ]);
    assert.deepEqual(linksOfRussian, linksOfEnglish);
  });
