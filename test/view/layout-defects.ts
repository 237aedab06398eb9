// Finds defects in the layout of a widget. It imports no test library, because programs outside of tests use it too.

const all = (widget: Element, selector: string): HTMLElement[] => [
  ...(widget.shadowRoot?.querySelectorAll<HTMLElement>(selector) ?? []),
];

/** The elements that reach beyond the edges of the widget. */
export function overflowing(widget: HTMLElement): Element[] {
  const { left, right } = widget.getBoundingClientRect();
  return all(widget, '[part=base] *:not(.sr)').filter((one) => {
    const box = one.getBoundingClientRect();
    return box.width > 0 && (box.right > right + 0.5 || box.left < left - 0.5);
  });
}

/** Elements that may hide a part of their content: long addresses and bank lists, fields, and texts for screen readers. */
const mayHideContent = 'bdi.clamp, [part=banks], input, progress, .sr, svg *';

/** The elements that hide a part of their text. */
export function truncated(widget: HTMLElement, mayHide: string): Element[] {
  return all(widget, `[part=base] *:not(${mayHideContent}${mayHide})`).filter(
    (one) =>
      getComputedStyle(one).overflow !== 'visible' &&
      (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1),
  );
}

/** What a payer touches on the way to pay. */
const mainTargets = 'a, button, label:has([type=radio])';

/** The targets that are smaller than this, in CSS pixels. */
export const smallTargets = (widget: HTMLElement, least: number, targets = mainTargets): Element[] =>
  all(widget, targets).filter((one) => {
    const { width, height } = one.getBoundingClientRect();
    return width > 0 && (width < least || height < least);
  });

/** Each element that is drawn over another one: of controls, pictures, and elements that directly contain text. */
export function overlapping(widget: HTMLElement): Element[] {
  const hasText = (one: Element): boolean =>
    [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '');
  const drawn = all(widget, '[part=base] *:not(.sr, .sr *, svg *, style)')
    .filter((one) => one.matches('button, a, input, svg, progress, summary') || hasText(one))
    .filter((one) => one.checkVisibility({ contentVisibilityAuto: true }))
    .map((one) => ({ one, box: one.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 1 && box.height > 1);
  const isOver = (a: DOMRect, b: DOMRect): boolean =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  return drawn
    .filter(({ one, box }, index) =>
      drawn.slice(0, index).some((other) => !other.one.contains(one) && isOver(box, other.box)),
    )
    .map(({ one }) => one);
}

export const describeElements = (what: string, elements: readonly Element[]): string[] =>
  elements.map((one) => `${what}: ${one.outerHTML.replace(/<!--.*?-->/g, '').slice(0, 160)}`);

/** All layout defects of the widget, and whether the page scrolls sideways. */
export function findLayoutDefects(widget: HTMLElement, { isHostile }: { readonly isHostile: boolean }): string[] {
  const sideways = document.documentElement.scrollWidth - innerWidth;
  return [
    ...(sideways > 0 ? [`the page scrolls sideways by ${sideways} px`] : []),
    ...describeElements('overflows', overflowing(widget)),
    // The overlong texts of the `hostile` states are truncated.
    ...describeElements('truncated', isHostile ? [] : truncated(widget, '')),
    ...describeElements('overlaps', isHostile ? [] : overlapping(widget)),
    ...describeElements('small target', smallTargets(widget, 24, `${mainTargets}, summary`)),
  ];
}
