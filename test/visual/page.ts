// A state of the gallery in a font that comes with the project, so that every machine draws the same letters.
import '../../src/pay-invoice.ts';
import { playState } from '../../demo/gallery-player.ts';
import { states } from '../../demo/gallery-states.ts';
import { loadPaymentPart } from '../../src/view/load-payment-part.ts';
// The widget loads these lazily; they are imported here so that no picture depends on how fast the server is.
import '../../src/locales/en.ts';
import '../../src/locales/kk.ts';
import '../../src/view/qr/qr-drawing.ts';
import '../../src/view/phone-help/phone-help.ts';

declare global {
  /** Shows a state of the gallery. */
  var show: (name: string, theme: 'light' | 'dark', lang?: string) => Promise<void>;
}

globalThis.show = async (name, theme, lang = 'ru') => {
  const state = states[name];
  if (state === undefined) throw new Error(`the gallery has no ${name}`);
  // The clock of the page is moved afterwards: an invoice that is created while the file loads would have less time left.
  await loadPaymentPart();
  await Promise.all(
    [400, 500, 600, 700].map((weight) => document.fonts.load(`${weight} 16px "Noto Sans"`, 'Abc Где 1 ₽')),
  );
  document.documentElement.style.colorScheme = theme;
  document.documentElement.lang = lang;
  document.body.replaceChildren(playState(state, { theme }).widget);
};
