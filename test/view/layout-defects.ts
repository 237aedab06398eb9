// Finds defects in the layout of a widget. It imports no test library, because programs that are no tests use it too.

const findAll = (widget: Element, selector: string): HTMLElement[] => [
  ...(widget.shadowRoot?.querySelectorAll<HTMLElement>(selector) ?? []),
];

/** Long addresses and bank lists. */
const cutSelector = 'bdi.clamp';

/** The elements that reach beyond the edges of the widget. */
export function findOverflowingElements(widget: HTMLElement): Element[] {
  const { left, right } = widget.getBoundingClientRect();
  return findAll(widget, '[part=base] *:not(.sr)').filter((one) => {
    const box = one.getBoundingClientRect();
    // What stands in a box that is cut off is not drawn beyond that box.
    const isCut = one.parentElement?.matches(cutSelector) === true;
    return !isCut && box.width > 0 && (box.right > right + 0.5 || box.left < left - 0.5);
  });
}

/** Elements that may hide a part of their content: long addresses, fields, and texts for screen readers. */
const truncatableSelector = `${cutSelector}, input, progress, .sr, svg *`;

/** The elements that hide a part of their text. `moreTruncatable` is a list of selectors that begins with a comma. */
export function findTruncatedElements(widget: HTMLElement, moreTruncatable: string): Element[] {
  return findAll(widget, `[part=base] *:not(${truncatableSelector}${moreTruncatable})`).filter(
    (one) =>
      getComputedStyle(one).overflow !== 'visible' &&
      (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1),
  );
}

/** The elements that a payer touches in order to pay. */
const mainTargets = 'a, button, label:has([type=radio])';

/** The targets that are narrower or lower than `minimumPx`. */
export const findSmallTargets = (widget: HTMLElement, minimumPx: number, targets = mainTargets): Element[] =>
  findAll(widget, targets).filter((one) => {
    const { width, height } = one.getBoundingClientRect();
    return width > 0 && (width < minimumPx || height < minimumPx);
  });

/** The elements whose own text is smaller than `minimumPx`. */
export const findSmallTexts = (widget: HTMLElement, minimumPx: number): Element[] =>
  findAll(widget, '[part=base] *:not(.sr, .sr *, svg, svg *)').filter(
    (one) => textNodesOf(one).length > 0 && parseFloat(getComputedStyle(one).fontSize) < minimumPx,
  );

const textNodesOf = (element: Element): Node[] =>
  [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '');

/** The box of a control or a picture; of another element that of its own text, which a float may shorten or an edge may cut. */
function drawnBox(element: Element): DOMRect {
  const box = element.getBoundingClientRect();
  const [first, ...others] = element.matches(controls) ? [] : textNodesOf(element);
  if (!first) return box;
  const range = document.createRange();
  range.setStartBefore(first);
  range.setEndAfter(others.at(-1) ?? first);
  const { left, top, right, bottom } = range.getBoundingClientRect();
  return new DOMRect(left, top, Math.min(right, box.right) - left, Math.min(bottom, box.bottom) - top);
}

/** The words of headings, labels and buttons that are broken at a place where nothing divides them. */
export const findBrokenWords = (widget: HTMLElement): string[] =>
  findAll(widget, 'h2, h3, h4, dt, label, button, a, summary').flatMap((element) =>
    [...element.querySelectorAll('*'), element].flatMap(textNodesOf).flatMap((node) =>
      [...(node.textContent ?? '').matchAll(/[\p{L}\p{N}]+/gu)]
        .filter(({ 0: word, index }) => {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1;
        })
        .map(([word]) => `broken: ${word} in ${element.outerHTML.replace(/<!--.*?-->/g, '').slice(0, 80)}`),
    ),
  );

const controls = 'button, a, input, svg, progress, summary';

/** The controls, pictures and texts that are drawn over another one. */
export function findOverlappingElements(widget: HTMLElement): Element[] {
  const drawn = findAll(widget, '[part=base] *:not(.sr, .sr *, svg *, style)')
    .filter((one) => one.matches(controls) || textNodesOf(one).length > 0)
    .filter((one) => one.checkVisibility({ contentVisibilityAuto: true }))
    .map((one) => ({ one, box: drawnBox(one) }))
    .filter(({ box }) => box.width > 1 && box.height > 1);
  const isDrawnOver = (a: DOMRect, b: DOMRect): boolean =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  return drawn
    .filter(({ one, box }, index) =>
      drawn.slice(0, index).some((other) => !other.one.contains(one) && isDrawnOver(box, other.box)),
    )
    .map(({ one }) => one);
}

export const describeElements = (defect: string, elements: readonly Element[]): string[] =>
  elements.map((one) => `${defect}: ${one.outerHTML.replace(/<!--.*?-->/g, '').slice(0, 160)}`);

/** All layout defects of the widget, and whether the page scrolls sideways. */
export function findLayoutDefects(widget: HTMLElement, { isHostile }: { readonly isHostile: boolean }): string[] {
  const overflowPx = document.documentElement.scrollWidth - innerWidth;
  return [
    ...(overflowPx > 0 ? [`the page scrolls sideways by ${overflowPx} px`] : []),
    ...describeElements('overflows', findOverflowingElements(widget)),
    // The overlong texts of the `hostile` states are truncated.
    ...describeElements('truncated', isHostile ? [] : findTruncatedElements(widget, '')),
    ...describeElements('overlaps', isHostile ? [] : findOverlappingElements(widget)),
    ...describeElements('small target', findSmallTargets(widget, 24, `${mainTargets}, summary`)),
  ];
}
