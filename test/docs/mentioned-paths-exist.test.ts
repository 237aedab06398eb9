import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { documents } from './documents.ts';

// Every path of the repository that a document or a comment mentions exists.

const folders = 'src|server-example|examples|demo|test|scripts|docs|\\.ci|\\.changeset|\\.github';
const pathPattern = new RegExp(`(?<![\\w./@-])((?:${folders})/[\\w./*{},-]*[\\w/*}])`, 'g');
const pagePattern = /(?<![\w./-])([\w-]+\.md)\b/g;

const findMatches = (text: string, pattern: RegExp): readonly string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, path = '']) => path)),
];

/** Paths that are only examples, and paths that a build creates. */
const exceptions = /^(?:src\/page\.ts|src\/(?:app\/checkout|Checkout|App|main)\.|demo\/dist|docs\/pictures\/x)/;

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`);
const files = ['src', 'server-example', 'examples', 'demo', 'scripts', 'test', 'docs'].flatMap(filesIn);

/** A path with `*` or `{a,b}` as a pattern. */
const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .replaceAll('.', '\\.')
      .replaceAll('**', '.+')
      .replaceAll(/(?<!\.)\*/g, '[^/]+')
      .replaceAll(/\{([^}]*)\}/g, (_, choices: string) => `(?:${choices.replaceAll(',', '|')})`)}$`,
  );

const exists = (path: string): boolean =>
  /[*{]/.test(path) ? files.some((one) => patternOf(path).test(one)) : existsSync(path) || existsSync(`docs/${path}`);

for (const { path, prose } of documents)
  test(`every path that ${path} mentions exists`, () => {
    const paths = findMatches(prose, pathPattern).filter((one) => !exceptions.test(one));
    assert.deepEqual(
      paths.filter((one) => !exists(one)),
      [],
    );
  });

/** The comments of a TypeScript source, without strings that look like comments. */
const commentsOf = (source: string): string =>
  [...source.matchAll(/^\s*(?:\/\/|\/?\*).*$|(?<=\s)\/\/ .*$/gm)].map(([line]) => line).join('\n');

for (const file of files.filter((one) => /^(?:src|server-example|demo)\/.*\.[jt]s$/.test(one)))
  test(`every page and path that the comments of ${file} mention exists`, () => {
    const comments = commentsOf(readFileSync(file, 'utf8'));
    const mentioned = [...findMatches(comments, pathPattern), ...findMatches(comments, pagePattern)];
    assert.deepEqual(
      mentioned.filter((one) => !exists(one)),
      [],
    );
  });
