// A state of the gallery in a font that comes with the project, so that every machine draws the same letters.
import '../../src/pay-invoice.ts';
import { playState } from '../../demo/gallery-player.ts';
import { states } from '../../demo/gallery-states.ts';
import { loadPaymentPart } from '../../src/view/load-payment-part.ts';
// The widget loads this lazily; it is imported here so that no picture has to wait for it.
import '../../src/view/qr/qr-drawing.ts';

declare global {
  /** Shows a state of the gallery. */
  var show: (name: string, theme: 'light' | 'dark') => Promise<void>;
}

globalThis.show = async (name, theme) => {
  const state = states[name];
  if (state === undefined) throw new Error(`the gallery has no ${name}`);
  // The clock of the page is moved afterwards: an invoice that is created while the file loads would have less time left.
  await loadPaymentPart();
  document.documentElement.style.colorScheme = theme;
  document.body.replaceChildren(playState(state, { theme }).widget);
};
