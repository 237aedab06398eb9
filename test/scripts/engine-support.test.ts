import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { engines, type Violation } from '../../scripts/engine-support/engines.ts';
import { markupViolations } from '../../scripts/engine-support/markup-features.ts';
import { scriptViolations } from '../../scripts/engine-support/script-features.ts';
import { styleViolations } from '../../scripts/engine-support/style-features.ts';

const listFeatures = (violations: readonly Violation[]): readonly string[] => violations.map(({ feature }) => feature);

describe('the check of features that the oldest engines lack', () => {
  it('uses the engines and versions that the README names', () => {
    const readme = readFileSync('README.md', 'utf8');
    const { chrome, edge, webview_android: webView, safari, safari_ios: ios, firefox } = engines;
    assert.deepEqual([edge, webView, ios], [chrome, chrome, safari]);
    assert.match(
      readme,
      new RegExp(`Android WebView from ${chrome}, Safari and iOS from ${safari}, and Firefox from ${firefox}`),
    );
  });

  for (const [code, feature] of [
    ['Promise.withResolvers()', 'javascript.builtins.Promise.withResolvers'],
    ['Array.fromAsync([])', 'javascript.builtins.Array.fromAsync'],
    ['new Intl.DurationFormat("en")', 'javascript.builtins.Intl.DurationFormat'],
    ['URL.canParse("x")', 'api.URL.canParse_static'],
    ['AbortSignal.any([])', 'api.AbortSignal.any_static'],
    ['[1].toSorted()', 'javascript.builtins.Array.toSorted'],
    ['element.showPopover()', 'api.HTMLElement.showPopover'],
    ['requestIdleCallback(run)', 'api.Window.requestIdleCallback'],
    ['const { length } = new Set().union(other)', 'javascript.builtins.Set.union'],
  ] as const)
    it(`finds ${feature} in the script ${code}`, () => {
      assert.deepEqual(listFeatures(scriptViolations(code)), [feature]);
    });

  it('accepts features that every engine has, and names of the script itself', () => {
    const code =
      'const any = { withResolver: structuredClone({}) }; any.canParse; [1].at(0); AbortSignal.abort(); "".replaceAll("a", "b")';
    assert.deepEqual(listFeatures(scriptViolations(code)), []);
  });

  it('refuses syntax that is newer than ES2022', () => {
    assert.throws(() => scriptViolations('/[a--b]/v'), SyntaxError);
    assert.throws(() => scriptViolations('using file = open()'), SyntaxError);
  });

  for (const [css, feature] of [
    ['a { color: light-dark(red, blue) }', 'css.types.color.light-dark'],
    ['a { color: color-mix(in srgb, red, blue) }', 'css.types.color.color-mix'],
    ['a:has(b) { color: red }', 'css.selectors.has'],
    ['a:popover-open { color: red }', 'css.selectors.popover-open'],
    ['@starting-style { a { color: red } }', 'css.at-rules.starting-style'],
    ['a { b { color: red } }', 'css.selectors.nesting'],
    ['a { height: 100dvh }', 'css.types.length.viewport_percentage_units_dynamic'],
    ['a { text-wrap: balance }', 'css.properties.text-wrap'],
    ['a { anchor-name: --b }', 'css.properties.anchor-name'],
  ] as const)
    it(`finds ${feature} in the style sheet ${css}`, () => {
      assert.ok(listFeatures(styleViolations(css)).includes(feature), listFeatures(styleViolations(css)).join());
    });

  it('accepts a newer CSS value after a value that every engine has, and inside @supports', () => {
    assert.deepEqual(styleViolations('a { color: red; color: light-dark(red, blue) }'), []);
    assert.deepEqual(
      styleViolations('@supports (color: light-dark(red, red)) { a { color: light-dark(red, blue) } }'),
      [],
    );
    assert.equal(styleViolations('a { color: light-dark(red, blue); color: color-mix(in srgb, red, blue) }').length, 2);
  });

  it('finds elements and attributes in html templates', () => {
    assert.deepEqual(listFeatures(markupViolations('html`<div popover=auto><p inert>a</p></div>`')), [
      'html.global_attributes.popover',
    ]);
  });
});
