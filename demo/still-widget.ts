import type { PayInvoiceElement } from '../src/element.ts';
import { create } from './dom-helpers.ts';

/** Nothing moves in a copy, and nothing in it follows the window. */
const stillStyle = '*, ::before, ::after { animation: none !important } .bar, .summary { position: static !important }';

/**
 * A copy of what a widget shows now. It has no session, no timers and no motion, so that a page can have many of them. It follows
 * the page's theme.
 */
export function stillOf(widget: PayInvoiceElement): HTMLElement {
  const still = create('div', { className: 'still' });
  const shadow = widget.shadowRoot;
  if (shadow === null) return still;
  still.append(...copiesOf(widget));
  const root = still.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(stillStyle);
  root.adoptedStyleSheets = [...shadow.adoptedStyleSheets, sheet];
  root.append(...copiesOf(shadow));
  // A copy of a canvas is empty.
  const canvases = root.querySelectorAll('canvas');
  for (const [index, canvas] of [...shadow.querySelectorAll('canvas')].entries())
    canvases[index]?.getContext('2d')?.drawImage(canvas, 0, 0);
  return still;
}

const copiesOf = (parent: Node): readonly Node[] => [...parent.childNodes].map((node) => node.cloneNode(true));
