import { css } from 'lit';
import { assert, fixture, html } from '@open-wc/testing';
import { PayInvoiceElement } from '../../src/element.ts';
import { paymentStyles } from '../../src/view/payment-part.ts';
import { Backend } from './changeable-backend.ts';
import { all, find, mountState, rootOf, until } from './render-widget.ts';

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
  shown: (style: CSSStyleDeclaration) => string,
  expected: string,
])[] = [
  ['accent', 'rgb(1, 2, 3)', 'options', '[part=continue]', (style) => style.backgroundColor, 'rgb(1, 2, 3)'],
  ['accent-text', 'rgb(1, 2, 3)', 'options', '[part=continue]', (style) => style.color, 'rgb(1, 2, 3)'],
  ['text', 'rgb(1, 2, 3)', 'options', '[part=amount]', (style) => style.color, 'rgb(1, 2, 3)'],
  ['muted', 'rgb(1, 2, 3)', 'options', '.about', (style) => style.color, 'rgb(1, 2, 3)'],
  ['surface', 'rgb(1, 2, 3)', 'options', '[part=base]', (style) => style.backgroundColor, 'rgb(1, 2, 3)'],
  ['border', 'rgb(1, 2, 3)', 'options', '[part=base]', (style) => style.borderTopColor, 'rgb(1, 2, 3)'],
  ['danger', 'rgb(1, 2, 3)', 'amount-wrong', '.failed', (style) => style.color, 'rgb(1, 2, 3)'],
  ['success', 'rgb(1, 2, 3)', 'paid', '.mark', (style) => style.color, 'rgb(1, 2, 3)'],
  ['radius', '3px', 'options', '[part=base]', (style) => style.borderTopLeftRadius, '3px'],
  ['space', '10px', 'refused', 'form', (style) => style.rowGap, '10px'],
  ['font', 'monospace', 'options', '[part=amount]', (style) => style.fontFamily, 'monospace'],
  ['font-size', '20px', 'options', '[part=base]', (style) => style.fontSize, '20px'],
];

describe('what a page can style', () => {
  for (const [state, names] of Object.entries(parts))
    it(`has the parts ${names}`, async () => {
      const widget = await mountState(state);
      if (names.includes('qr')) await until('the QR', () => rootOf(widget).querySelector('[part=qr]'));
      const missing = names.split(' ').filter((name) => rootOf(widget).querySelector(`[part=${name}]`) === null);
      assert.deepEqual(missing, []);
    });

  for (const [name, value, state, selector, shown, expected] of properties)
    it(`follows --pay-invoice-${name}`, async () => {
      const widget = await mountState(state);
      const currentStyle = (): string => shown(getComputedStyle(find(widget, selector, Element)));
      assert.notEqual(currentStyle(), expected);
      widget.style.setProperty(`--pay-invoice-${name}`, value);
      assert.equal(currentStyle(), expected);
    });

  it('uses logical properties, so that it is mirrored from right to left', () => {
    const text = [...PayInvoiceElement.styles, paymentStyles].map(({ cssText }) => cssText).join('\n');
    const physical =
      /[\w-]*-(?:left|right|top|bottom)\b|[^-\w](?:left|right|top|bottom|width|height)\s*:|:\s*(?:left|right)\b/g;
    assert.deepEqual(text.match(physical) ?? [], []);
  });
});

describe('a class that extends the element', () => {
  it('keeps its own styles when those of the payment screens are added', async () => {
    const own = css`
      :host {
        outline: 5px solid red;
      }
    `;
    class Extended extends PayInvoiceElement {
      static override readonly styles = [...PayInvoiceElement.styles, own];
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

describe('what a page can fill', () => {
  const cases = { header: 'options', footer: 'options', paid: 'paid', failed: 'failed', expired: 'expired' };
  for (const [slot, state] of Object.entries(cases))
    it(`shows what is in the slot ${slot}`, async () => {
      const widget = await mountState(state);
      const own = document.createElement('p');
      own.slot = slot;
      own.textContent = 'of the shop';
      widget.append(own);
      assert.isAbove(own.getBoundingClientRect().height, 0);
    });

  it('shows the fallback slot until it is defined, however late, and uses the properties that were set before', async () => {
    const box = await fixture<HTMLElement>(
      html`<pay-invoice-late lang="en"
        ><a slot="fallback" href="/pay">Pay on the page of the shop</a></pay-invoice-late
      >`,
    );
    const [late] = box.tagName === 'PAY-INVOICE-LATE' ? [box] : box.children;
    const link = late?.firstElementChild;
    if (!late || !link) throw new Error('nothing to define');
    assert.isAbove(link.getBoundingClientRect().height, 0);
    const backend = new Backend();
    Object.assign(late, { transport: backend, method: 'card', messages: { proceed: 'Pay now' } });

    customElements.define('pay-invoice-late', class extends PayInvoiceElement {});
    await until('options', () => late.shadowRoot?.querySelector('[part=continue]:enabled'));
    assert.equal(link.getBoundingClientRect().height, 0);
    assert.equal(find(late, '[part=continue]', HTMLElement).textContent.trim(), 'Pay now');
    assert.equal(find(late, ':checked', HTMLElement).getAttribute('aria-labelledby'), 'm1');
    assert.equal(backend.reads, 1);
    assert.lengthOf(all(late, '[part=base]'), 1);
  });
});
