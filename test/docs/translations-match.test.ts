import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import { documentOf, translations, type Document } from './documents.ts';

// The Russian pages have the structure of the English pages. Only the English README has generated tables.
const generated = /<!-- element: .*? -->[^]*?<!-- \/element -->/g;
const russianPages = ['README', 'frameworks', 'going-live', 'integrating', 'troubleshooting'];

const findMatches = ({ prose }: Document, pattern: RegExp): readonly string[] =>
  [...prose.replaceAll(generated, '').matchAll(pattern)].map(([, part = '']) => part);

/** The targets of the links of a page, from the root. A translated target counts as its English page. */
const linksOf = (document: Document): readonly string[] =>
  findMatches(document, /\]\(([^)#]+)[^)]*\)/g)
    .map((link) => posix.join(posix.dirname(document.path), link))
    .map((link) => link.replace('docs/ru/README.md', 'README.md').replace('docs/ru/', 'docs/'))
    .filter((link) => link !== 'README.md')
    .sort();

test('the pages that users need first exist in Russian', () => {
  assert.deepEqual(
    translations.map(([, { path }]) => path).sort(),
    russianPages.map((name) => `docs/ru/${name}.md`).sort(),
  );
});

test('the README and its translation link to each other', () => {
  assert.ok(documentOf('README.md').prose.includes('(docs/ru/README.md)'));
  assert.ok(documentOf('docs/ru/README.md').prose.includes('(../../README.md)'));
});

for (const [english, russian] of translations) {
  test(`${russian.path} has the levels of headings of ${english.path}`, () => {
    const levels = /^(#+) /gm;
    assert.deepEqual(findMatches(russian, levels), findMatches(english, levels));
  });

  test(`${russian.path} has the fenced blocks of ${english.path}`, () => {
    const codesOf = ({ blocks }: Document): readonly string[] => blocks.map(({ code }) => code);
    assert.deepEqual(codesOf(russian), codesOf(english));
  });

  test(`${russian.path} links to the pages to which ${english.path} links`, () => {
    const [linksOfRussianPage, linksOfEnglishPage] = [linksOf(russian), linksOf(english)];
    const isOwnLanguageLink = (link: string): boolean => link === english.path;
    assert.deepEqual(
      linksOfRussianPage.filter((link) => !isOwnLanguageLink(link)),
      linksOfEnglishPage.filter((link) => !isOwnLanguageLink(link)),
    );
  });

  test(`${russian.path} has as many table rows as ${english.path}, and names the same code`, () => {
    const countRows = (document: Document): number => findMatches(document, /^(\|)/gm).length;
    assert.equal(countRows(russian), countRows(english));
    const codeNamesOf = (document: Document): readonly string[] =>
      [...new Set(findMatches(document, /(`[^`\n]+`)/g))].sort();
    assert.deepEqual(codeNamesOf(russian), codeNamesOf(english));
  });
}
