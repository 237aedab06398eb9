import { css } from 'lit';
import { assert, fixture, html } from '@open-wc/testing';
import { PayInvoiceElement } from '../../src/element.ts';
import { paymentStyles } from '../../src/view/payment-screens.ts';
import { Backend } from './changeable-backend.ts';
import { find, findAll, mountState, rootOf, until } from './render-widget.ts';

const parts: Readonly<Record<string, string>> = {
  options: 'base header amount methods method banks continue footer',
  test: 'badge',
  refused: 'error',
  'qr-sbp': 'requisites requisite label value copy qr qr-link timer progress actions',
  paid: 'outcome',
};

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
  for (const [state, names] of Object.entries(parts))
    it(`has the parts ${names}`, async () => {
      const widget = await mountState(state);
      if (names.includes('qr')) await until('the QR', () => rootOf(widget).querySelector('[part=qr]'));
      const missingParts = names.split(' ').filter((name) => rootOf(widget).querySelector(`[part~=${name}]`) === null);
      assert.deepEqual(missingParts, []);
    });

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
      /[\w-]*-(?:left|right|top|bottom)\b|[^-\w](?:left|right|top|bottom|width|height)\s*:|:\s*(?:left|right)\b/g;
    assert.deepEqual(styleText.match(physical) ?? [], []);
  });
});

describe('a class that extends the element', () => {
  it('keeps its own styles when those of the payment screens are added', async () => {
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
    assert.include(widget.shadowRoot?.adoptedStyleSheets ?? [], paymentStyles.styleSheet);
    widget.remove();
  });
});

describe('the slots of the element', () => {
  const cases = { header: 'options', footer: 'options', paid: 'paid', failed: 'failed', expired: 'expired' };
  for (const [slot, state] of Object.entries(cases))
    it(`include ${slot}, which shows the content of the page`, async () => {
      const widget = await mountState(state);
      const content = document.createElement('p');
      content.slot = slot;
      content.textContent = 'of the shop';
      widget.append(content);
      assert.isAbove(content.getBoundingClientRect().height, 0);
    });

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
