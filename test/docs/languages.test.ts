import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import { documentOf, type Document } from './documents.ts';

// The README in two languages: the same but for its words. The tables of the element are in the English one alone.
const english = documentOf('README.md');
const russian = documentOf('docs/README.ru.md');
const generated = /<!-- tables: .*? -->[^]*<!-- end of the tables -->/;

const matches = ({ prose }: Document, pattern: RegExp): readonly string[] =>
  [...prose.replace(generated, '').matchAll(pattern)].map(([, part = '']) => part);

test('both have the same levels of headings', () => {
  const levels = /^(#+) /gm;
  assert.deepEqual(matches(russian, levels), matches(english, levels));
});

test('both have the same code, and more than none', () => {
  const codes = ({ blocks }: Document): readonly string[] => blocks.map(({ code }) => code);
  assert.deepEqual(codes(russian), codes(english));
  assert.notEqual(russian.blocks.length, 0);
});

test('both lead to the same places, and each to the other', () => {
  const links = (document: Document): readonly string[] =>
    matches(document, /\]\(([^)]+)\)/g)
      .map((link) => posix.join(posix.dirname(document.path), link))
      .filter((link) => !link.includes('README'))
      .sort();
  assert.deepEqual(links(russian), links(english));
  assert.ok(english.prose.includes('(docs/README.ru.md)') && russian.prose.includes('(../README.md)'));
});

test('both have the same rows of tables, and name the same things of the code', () => {
  const rows = (document: Document): number => matches(document, /^(\|)/gm).length;
  assert.equal(rows(russian), rows(english));
  const names = (document: Document): readonly string[] => [...new Set(matches(document, /(`[^`\n]+`)/g))].sort();
  assert.deepEqual(names(russian), names(english));
});

test('both name the same products', () => {
  // In English a capital in the middle of a sentence; such a name stays Latin in Russian.
  const products = new Set(matches(english, /(?<=[a-z,] )([A-Z][A-Za-z]+)\b(?![^[]*\])/g));
  assert.ok(products.has('WebKit') && products.has('PostgreSQL'));
  for (const product of products) assert.match(russian.prose, new RegExp(`\\b${product}\\b`));
});
