import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { minifyCss, minifyHtml } from '../../scripts/build/minify-literals.ts';

describe('minifyHtml', () => {
  const rules: readonly (readonly [rule: string, strings: readonly string[], short: readonly string[]])[] = [
    ['drops line breaks and indentation at both ends of a template', ['\n  <b>', '</b>\n'], ['<b>', '</b>']],
    [
      'keeps a space without a line break at the start of a template',
      [' <small>', '</small>'],
      [' <small>', '</small>'],
    ],
    ['drops white space next to block elements', ['<div>\n  ', '\n <p> a </p>\n</div>'], ['<div>', '<p>a</p></div>']],
    ['keeps one space between inline elements', ['<b>a</b>\n  <i>', '</i>  b'], ['<b>a</b> <i>', '</i> b']],
    ['keeps one space between expressions', ['<p>', '\n  ', '</p>'], ['<p>', ' ', '</p>']],
    [
      'drops needless white space, quotes and slashes in a void tag',
      ['<input\n  id="a"\n  .value=', '\n/>'],
      ['<input id=a .value=', '>'],
    ],
    [
      'drops quotes around attribute values that are single words',
      ['<a class="b" href="/c d" id="e">', ''],
      ['<a class=b href="/c d" id=e>', ''],
    ],
    ['keeps quotes around expressions', ['<b id="m', '">'], ['<b id="m', '">']],
    ['keeps the closing slash of an element that is not void', ['<path d=', ' />'], ['<path d=', ' />']],
  ];
  for (const [rule, strings, short] of rules) it(rule, () => assert.deepEqual(minifyHtml(strings), short));
});

describe('minifyCss', () => {
  const rules: readonly (readonly [rule: string, css: string, short: string])[] = [
    ['drops comments and white space', '/* a */\n.b {\n  color: red;\n}\n', '.b{color:red}'],
    ['drops zeros before a point only', 'a { margin: 0.5em 10.5em -0.25em }', 'a{margin:.5em 10.5em -.25em}'],
    ['drops quotes around names only', "[part='qr'] b { content: 'a' }", "[part=qr] b{content:'a'}"],
    ['keeps the space of descendants and sums', 'a * { width: calc(1em + 2px) }', 'a *{width:calc(1em + 2px)}'],
  ];
  for (const [rule, css, short] of rules) it(rule, () => assert.equal(minifyCss(css), short));
});
