import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { transform } from 'esbuild';
import { en } from '../../src/locales/en.ts';
import { documents } from './documents.ts';

const element = readFileSync('src/view/pay-invoice-element.ts', 'utf8');
const namesInJsdoc = (tag: string): readonly string[] =>
  [...element.matchAll(new RegExp(`^ \\* @${tag} (?:\\{\\w+\\} )?\\[?([\\w-]+)`, 'gm'))].map(([, name = '']) => name);
const [parts, properties, slots, events] = ['csspart', 'cssprop', 'slot', 'fires'].map(namesInJsdoc);
const findMatches = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, name = '']) => name);
const blocksOf = (language: string) =>
  documents.flatMap(({ blocks }) => blocks.filter((block) => block.language === language));

for (const { place, code } of blocksOf('css'))
  test(`the style at ${place} is valid CSS`, async () => {
    const { warnings } = await transform(code, { loader: 'css' });
    assert.deepEqual(warnings, []);
  });

for (const { path, text } of documents)
  test(`${path} names parts, custom properties, slots, events and texts that the element has`, () => {
    for (const name of findMatches(text, /::part\(([\w-]+)\)/g)) assert.ok(parts?.includes(name), `::part(${name})`);
    for (const name of findMatches(text, /(--pay-invoice-[\w-]+)/g)) assert.ok(properties?.includes(name), name);
    for (const name of findMatches(text, /slot="([\w-]+)"/g)) assert.ok(slots?.includes(name), `slot="${name}"`);
    for (const name of findMatches(text, /addEventListener\('(pay-invoice-[\w-]+)'/g))
      assert.ok(events?.includes(name), name);
    for (const block of findMatches(text, /\.messages = \{\n([^}]*)\}/g))
      for (const name of findMatches(block, /^ *(\w+):/gm)) assert.ok(name in en, `the text ${name}`);
  });

for (const { place, code } of blocksOf('html'))
  test(`the tag at ${place} has attributes that the element has`, () => {
    for (const attributes of findMatches(code, /<pay-invoice([^>]*)>/g))
      for (const name of findMatches(attributes, / ([\w-]+)(?:=|$)/g))
        assert.match(element, new RegExp(`^    (?:${name}: |\\w+: \\{ attribute: '${name}')`, 'm'));
  });
