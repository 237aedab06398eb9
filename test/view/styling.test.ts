import { css } from 'lit';
import { assert, fixture, html } from '@open-wc/testing';
import { PayInvoiceElement } from '../../src/element.ts';
import { paymentStyles } from '../../src/view/styles/payment-screens.styles.ts';
import { Backend } from './changeable-backend.ts';
import { find, findAll, mountState, rootOf, until } from './widget-from-source.ts';

/** A state, an element and a computed style that each custom property sets. */
const properties: readonly (readonly [
  name: string,
  value: string,
  state: string,
  selector: string,
  readStyle: (style: CSSStyleDeclaration) => string,
  expected: string,
])[] = [
  ['accent', 'rgb(1, 2, 3)', 'options', '[part=continue]', (style) => style.backgroundColor, 'rgb(1, 2, 3)'],
  ['accent-text', 'rgb(1, 2, 3)', 'options', '[part=continue]', (style) => style.color, 'rgb(1, 2, 3)'],
  ['text', 'rgb(1, 2, 3)', 'options', '[part=amount]', (style) => style.color, 'rgb(1, 2, 3)'],
  ['muted', 'rgb(1, 2, 3)', 'options', '[part=description]', (style) => style.color, 'rgb(1, 2, 3)'],
  ['surface', 'rgb(1, 2, 3)', 'options', '[part=base]', (style) => style.backgroundColor, 'rgb(1, 2, 3)'],
  ['border', 'rgb(1, 2, 3)', 'options', '[part=base]', (style) => style.borderTopColor, 'rgb(1, 2, 3)'],
  ['danger', 'rgb(1, 2, 3)', 'amount-wrong', '.failed', (style) => style.color, 'rgb(1, 2, 3)'],
  ['success', 'rgb(1, 2, 3)', 'paid', '.mark', (style) => style.color, 'rgb(1, 2, 3)'],
  ['radius', '3px', 'options', '[part=base]', (style) => style.borderTopLeftRadius, '3px'],
  ['space', '10px', 'refused', 'form', (style) => style.rowGap, '10px'],
  ['font', 'monospace', 'options', '[part=amount]', (style) => style.fontFamily, 'monospace'],
  ['font-size', '20px', 'options', '[part=base]', (style) => style.fontSize, '20px'],
];

describe('the element that a page styles', () => {
  for (const [name, value, state, selector, readStyle, expected] of properties)
    it(`applies the custom property --pay-invoice-${name}`, async () => {
      const widget = await mountState(state);
      const currentStyle = (): string => readStyle(getComputedStyle(find(widget, selector, Element)));
      assert.notEqual(currentStyle(), expected);
      widget.style.setProperty(`--pay-invoice-${name}`, value);
      assert.equal(currentStyle(), expected);
    });

  it('uses logical properties, so that it is mirrored from right to left', () => {
    const styleText = [...PayInvoiceElement.styles, paymentStyles].map(({ cssText }) => cssText).join('\n');
    const physical =
      /-(?:left|right|top|bottom)\b|[^-\w](?:left|right|top|bottom|width|height)\s*:|:\s*(?:left|right)\b/g;
    assert.deepEqual(styleText.match(physical) ?? [], []);
  });
});

/** A colour over an opaque one, each as red, green, blue from 0 to 1. */
const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
function paint(...layers: readonly string[]): readonly number[] {
  if (!canvas) throw new Error('no canvas');
  for (const colour of layers) {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
  }
  return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((value) => value / 255);
}

const luminanceOf = (colour: readonly number[]): number =>
  colour
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, index) => sum + value * ([0.2126, 0.7152, 0.0722][index] ?? 0), 0);

/** The contrast ratio of WCAG. */
function contrastOf(foreground: readonly number[], background: readonly number[]): number {
  const [dark = 0, light = 0] = [luminanceOf(foreground), luminanceOf(background)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

describe('the contrast', () => {
  /** Least ratios of the private custom properties: a text 4.5, a sign that stands alone 3. */
  const pairs: readonly (readonly [foreground: string, least: number, ...backgrounds: string[]])[] = [
    ['text', 4.5, 'surface', 'tint', 'faint'],
    ['muted', 4.5, 'surface', 'tint', 'faint'],
    ['ink', 4.5, 'surface', 'tint'],
    ['danger', 4.5, 'surface', 'tint'],
    ['success', 4.5, 'surface', 'tint'],
    ['warning', 4.5, 'surface', 'tint'],
    ['accent-text', 4.5, 'accent'],
    ['line', 3, 'surface'],
    ['ink', 3, 'border'],
  ];
  /** Least ratios of borders and icons on the screen: a state, an element, its pseudo-element, the property with the colour. */
  const signs = [
    ['options', '[type=radio]:enabled:not(:checked)', '', 'borderTopColor', 3],
    ['options', '.chosen', '', 'borderTopColor', 3],
    ['options', 'label .icon', '', 'stroke', 2],
    ['amount', '.input', '', 'borderTopColor', 3],
    ['amount-wrong', '.input', '', 'borderTopColor', 3],
    ['sbp', '.list > button', '', 'color', 4.5],
    ['sbp', '[part~=copy] .icon', '', 'stroke', 3],
    ['sbp', '.tail button', '::before', 'borderLeftColor', 3],
    ['sbp', '.status', '::before', 'backgroundColor', 2],
    ['everything', 'summary', '::after', 'borderRightColor', 3],
    ['leaving', '.note button', '', 'borderTopColor', 2],
    ['paid', '.mark svg', '', 'stroke', 3],
    ['failed', '.mark svg', '', 'stroke', 3],
    ['expired', '.mark svg', '', 'stroke', 3],
  ] as const;

  /** The colours behind an element, from the farthest. */
  function layersBehind(element: Element): string[] {
    const layers: string[] = [];
    for (let one = element.parentElement; one; one = one.parentElement)
      layers.unshift(getComputedStyle(one).backgroundColor);
    return layers;
  }

  for (const theme of ['light', 'dark'] as const) {
    it(`of the custom properties suffices in the ${theme} theme, also of selected text`, async () => {
      const widget = await mountState('sbp', 'en', theme);
      const probe = find(widget, '[part=value]', HTMLElement);
      const colourOf = (name: string): readonly number[] => {
        probe.style.color = `var(--_${name})`;
        return paint(getComputedStyle(probe).color);
      };
      const low = pairs.flatMap(([foreground, least, ...backgrounds]) =>
        backgrounds
          .map((background) => ({ background, ratio: contrastOf(colourOf(foreground), colourOf(background)) }))
          .filter(({ ratio }) => ratio < least)
          .map(({ background, ratio }) => `${foreground} on ${background}: ${ratio.toFixed(2)}`),
      );
      assert.deepEqual(low, []);
      const { color, backgroundColor } = getComputedStyle(probe, '::selection');
      assert.isAtLeast(contrastOf(paint(color), paint(backgroundColor)), 4.5);
    });

    it(`of borders and icons suffices in the ${theme} theme`, async () => {
      const low: string[] = [];
      for (const [state, selector, pseudo, property, least] of signs) {
        const element = find(await mountState(state, 'en', theme), selector, Element);
        const behind = layersBehind(element);
        const ratio = contrastOf(paint(...behind, getComputedStyle(element, pseudo)[property]), paint(...behind));
        if (ratio < least) low.push(`${state} ${selector}${pseudo}: ${ratio.toFixed(2)}`);
      }
      assert.deepEqual(low, []);
    });
  }
});

/** Replaces an element's styles by those that a browser without `light-dark()` and `color-mix()` applies. */
function withoutColourFunctions(widget: Element): void {
  rootOf(widget).adoptedStyleSheets = rootOf(widget).adoptedStyleSheets.map((sheet) => {
    const text = [...sheet.cssRules].map((rule) => rule.cssText).join('\n');
    const sheetOfOldBrowser = new CSSStyleSheet();
    sheetOfOldBrowser.replaceSync(text.replace(/light-dark\(|color-mix\(/g, 'no-such-function('));
    return sheetOfOldBrowser;
  });
}

describe('a browser without light-dark() and color-mix()', () => {
  for (const theme of ['light', 'dark'] as const)
    it(`shows readable texts, buttons and notes in the ${theme} theme`, async () => {
      const widget = await mountState('refused', 'en', theme);
      withoutColourFunctions(widget);
      const styleOf = (selector: string): CSSStyleDeclaration => getComputedStyle(find(widget, selector, Element));
      const surface = styleOf('[part=base]').backgroundColor;
      assert.equal(luminanceOf(paint(surface)) > 0.5, theme === 'light');
      for (const selector of ['[part=amount]', '.due', '#choose h3', '[part=error]'])
        assert.isAtLeast(contrastOf(paint(styleOf(selector).color), paint(surface)), 4.5, selector);
      for (const selector of ['[part=base]', '[part=error]'])
        assert.equal(styleOf(selector).borderTopStyle, 'solid', selector);
      assert.notEqual(styleOf('[part=header]').backgroundColor, 'rgba(0, 0, 0, 0)');
      find(widget, 'input[type=radio]:enabled', HTMLInputElement).click(); // After a refusal no method is chosen.
      await widget.updateComplete;
      const { color, backgroundColor } = styleOf('[part=continue]');
      assert.isAtLeast(contrastOf(paint(color), paint(backgroundColor)), 4.5);
      assert.isAtLeast(contrastOf(paint(backgroundColor), paint(surface)), 3);
    });
});

describe('motion', () => {
  it('is only where the payer has not asked for less of it', () => {
    const isAllowed = (rule: CSSRule): boolean =>
      rule instanceof CSSMediaRule && rule.conditionText === '(prefers-reduced-motion: no-preference)';
    const movingRules = (rules: CSSRuleList): string[] =>
      [...rules]
        .filter((rule) => !isAllowed(rule))
        .flatMap((rule) =>
          rule instanceof CSSGroupingRule
            ? movingRules(rule.cssRules)
            : /\b(?:animation|transition)[\w-]*: (?!initial)/.test(rule.cssText)
              ? [rule.cssText]
              : [],
        );
    const sheets = [...PayInvoiceElement.styles, paymentStyles].flatMap(({ styleSheet }) => styleSheet ?? []);
    assert.isAbove(sheets.flatMap(({ cssRules }) => [...cssRules]).filter(isAllowed).length, 0);
    assert.deepEqual(
      sheets.flatMap(({ cssRules }) => movingRules(cssRules)),
      [],
    );
  });
});

describe('a class that extends the element', () => {
  it('keeps its own styles, which come last, when those of the payment screens are added, and in another document', async () => {
    const ownStyles = css`
      :host {
        outline: 5px solid red;
      }
    `;
    class Extended extends PayInvoiceElement {
      static override readonly styles = [...PayInvoiceElement.styles, ownStyles];
    }
    customElements.define('pay-invoice-extended', Extended);
    const widget = new Extended();
    widget.transport = new Backend();
    document.body.append(widget);
    await until('options', () => widget.shadowRoot?.querySelector('[part=method]'));
    assert.equal(getComputedStyle(widget).outlineWidth, '5px');
    const rules = (): string[] =>
      rootOf(widget).adoptedStyleSheets.flatMap(({ cssRules }) => Array.from(cssRules, ({ cssText }) => cssText));
    await until('the styles of the payment screens', () => rules().some((rule) => rule.startsWith('h4 ')));
    assert.match(rules().at(-1) ?? '', /outline/);
    const frame = document.createElement('iframe');
    document.body.append(frame);
    const before = rules();
    frame.contentDocument?.body.append(widget);
    assert.equal(getComputedStyle(widget).outlineWidth, '5px');
    assert.deepEqual(rules(), before);
    frame.remove();
  });
});

describe('the slots of the element', () => {
  it('include fallback, which is shown until the element is defined; the properties that were set before then apply', async () => {
    const fixtureRoot = await fixture<HTMLElement>(
      html`<pay-invoice-late lang="en"
        ><a slot="fallback" href="/pay">Pay on the page of the shop</a></pay-invoice-late
      >`,
    );
    const [element] = fixtureRoot.tagName === 'PAY-INVOICE-LATE' ? [fixtureRoot] : fixtureRoot.children;
    const link = element?.firstElementChild;
    if (!element || !link) throw new Error('nothing to define');
    assert.isAbove(link.getBoundingClientRect().height, 0);
    const backend = new Backend();
    Object.assign(element, { transport: backend, method: 'card', messages: { 'options.continue': 'Pay now' } });

    customElements.define('pay-invoice-late', class extends PayInvoiceElement {});
    await until('options', () => element.shadowRoot?.querySelector('[part=continue]:enabled'));
    assert.equal(link.getBoundingClientRect().height, 0);
    assert.equal(find(element, '[part=continue]', HTMLElement).textContent.trim(), 'Pay now');
    assert.equal(find(element, ':checked', HTMLElement).getAttribute('aria-labelledby'), 'm1');
    assert.equal(backend.reads, 1);
    assert.lengthOf(findAll(element, '[part=base]'), 1);
  });
});
