import { assert } from '@open-wc/testing';
import { states } from '../../demo/gallery-states.ts';
import { all, mountState, rootOf, until } from './support.ts';

/** What the page's text and the widget's own are set to: a zoom of all that is in `rem`, or of the text alone. */
const cases = [
  { page: '200%', own: '1rem', width: 320, mayHide: '' },
  { page: '400%', own: '1rem', width: 1280, mayHide: '' },
  { page: '100%', own: '4rem', width: 320, mayHide: ', .clamp' },
];

/** What reaches beyond the edge of the widget, or what has a place there. */
function sticksOut(widget: HTMLElement): Element[] {
  const { left, right } = widget.getBoundingClientRect();
  return all(widget, '[part=base] *:not(.sr)').filter((one) => {
    const box = one.getBoundingClientRect();
    return box.width > 0 && (box.right > right + 0.5 || box.left < left - 0.5);
  });
}

/** Hidden on purpose: long addresses, a long list of banks, what a field has no room for, and words for the ear alone. */
const hiding = 'bdi.clamp, [part=banks], input, progress, .sr, svg *';

/** What hides a part of its text. */
function cutOff(widget: HTMLElement, more: string): Element[] {
  return all(widget, `[part=base] *:not(${hiding}${more})`).filter(
    (one) =>
      getComputedStyle(one).overflow !== 'visible' &&
      (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1),
  );
}

const told = (elements: readonly Element[]): string[] => elements.map((one) => one.outerHTML.slice(0, 160));

describe('the size of text', () => {
  afterEach(() => document.documentElement.style.removeProperty('font-size'));

  for (const { page, own, width, mayHide } of cases)
    for (const name of Object.keys(states))
      it(`may be ${page} of ${own} in ${width} px without sideways scroll or a text that is cut: ${name}`, async () => {
        document.documentElement.style.fontSize = page;
        const widget = await mountState(name);
        widget.style.inlineSize = `${width}px`;
        widget.style.setProperty('--pay-invoice-font-size', own);
        await widget.updateComplete;
        if (rootOf(widget).querySelector('.qr')) await until('the QR', () => rootOf(widget).querySelector('[part=qr]'));
        assert.deepEqual(told(sticksOut(widget)), []);
        // Names that somebody made up to break the page are cut.
        if (!name.startsWith('hostile')) assert.deepEqual(told(cutOff(widget, mayHide)), []);
      });
});
