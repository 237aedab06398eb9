import { assert } from '@open-wc/testing';
import { find, mountState, rootOf } from './render-widget.ts';

/** Replaces an element's styles by those that a browser without `light-dark()` and `color-mix()` applies. */
function withoutColourFunctions(widget: Element): void {
  rootOf(widget).adoptedStyleSheets = rootOf(widget).adoptedStyleSheets.map((sheet) => {
    const text = [...sheet.cssRules].map((rule) => rule.cssText).join('\n');
    const sheetOfOldBrowser = new CSSStyleSheet();
    sheetOfOldBrowser.replaceSync(text.replace(/light-dark\(|color-mix\(/g, 'no-such-function('));
    return sheetOfOldBrowser;
  });
}

const channels = (colour: string): readonly number[] => (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const linear = value / 255;
    return linear <= 0.04045 ? linear / 12.92 : ((linear + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

describe('a browser without light-dark() and color-mix()', () => {
  for (const theme of ['light', 'dark'] as const)
    it(`shows readable texts, buttons and notes in the ${theme} theme`, async () => {
      const widget = await mountState('refused', 'en', theme);
      withoutColourFunctions(widget);
      const styleOf = (selector: string): CSSStyleDeclaration => getComputedStyle(find(widget, selector, Element));
      const surface = styleOf('[part=base]').backgroundColor;
      assert.equal(luminance(surface) > 0.5, theme === 'light');
      for (const selector of ['[part=amount]', '.due', '#choose h3', '[part=error]'])
        assert.isAtLeast(contrast(styleOf(selector).color, surface), 4.5, selector);
      for (const selector of ['[part=base]', '[part=error]'])
        assert.equal(styleOf(selector).borderTopStyle, 'solid', selector);
      assert.notEqual(styleOf('[part=header]').backgroundColor, 'rgba(0, 0, 0, 0)');
      find(widget, 'input[type=radio]:enabled', HTMLInputElement).click(); // After a refusal no method is chosen.
      await widget.updateComplete;
      const { color, backgroundColor } = styleOf('[part=continue]');
      assert.isAtLeast(contrast(color, backgroundColor), 4.5);
      assert.isAtLeast(contrast(backgroundColor, surface), 3);
    });
});
