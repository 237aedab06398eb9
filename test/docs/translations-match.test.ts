import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import { translations, type Document } from './documents.ts';

// The Russian pages have the structure of the English pages. Only the English README has generated tables.
const generated = /<!-- element: .*? -->[^]*?<!-- \/element -->/g;

const findMatches = ({ prose }: Document, pattern: RegExp): readonly string[] =>
  [...prose.replaceAll(generated, '').matchAll(pattern)].map(([, part = '']) => part);

/** The targets of the links of a page, from the root. A translated target counts as its English page. */
const linksOf = (document: Document): readonly string[] =>
  findMatches(document, /\]\(([^)#]+)[^)]*\)/g)
    .map((link) => posix.join(posix.dirname(document.path), link))
    .map((link) => link.replace('docs/ru/README.md', 'README.md').replace('docs/ru/', 'docs/'))
    .filter((link) => link !== 'README.md')
    .sort();

for (const [english, russian] of translations) {
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
}
