import { findAll, rootOf, textOf } from './mount-widget.ts';

interface Change {
  readonly isDrawn: boolean;
  readonly height: number;
}

/** Records the widget's height and whether the QR is drawn, at each change after the QR has got its place. */
export function watchQr(widget: HTMLElement): readonly Change[] {
  const changes: Change[] = [];
  new MutationObserver(() => {
    if (!rootOf(widget).querySelector('.qr')) return;
    const isDrawn = rootOf(widget).querySelector('[part=qr]') !== null;
    changes.push({ isDrawn, height: widget.getBoundingClientRect().height });
  }).observe(rootOf(widget), { childList: true, subtree: true });
  return changes;
}

/** The button of a desktop that shows a QR for a phone. */
export const findPhoneButton = (widget: Element): HTMLElement | undefined =>
  findAll(widget, 'button').find((one) => /^(?:Продолжить на телефоне|Continue on your phone)$/.test(textOf(one)));
