// A state of the gallery in a font that comes with the project, so that every machine draws the same letters.
import '../../src/pay-invoice.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import { playState } from '../../demo/gallery-player.ts';
import { states } from '../../demo/gallery-states.ts';
import { en } from '../../src/locales/en.ts';
import { registerLocale } from '../../src/locales.ts';
import { loadPaymentPart } from '../../src/view/load-payment-part.ts';
// The widget loads these lazily; they are imported here so that no picture depends on how fast the server is.
import '../../src/locales/kk.ts';
import '../../src/view/qr/qr-drawing.ts';
import '../../src/view/automatic-steps/automatic-steps.ts';
import '../../src/view/phone-help/phone-help.ts';

import { findLayoutDefects } from '../view/layout-defects.ts';

declare global {
  /** Shows a state of the gallery. */
  var show: (name: string, theme: 'light' | 'dark', lang?: string) => Promise<void>;
  /** Resolves once the payer's actions that lead to the state are done. */
  var played: Promise<void>;
  /** Changes the theme of the state that is shown. */
  var setTheme: (theme: 'light' | 'dark') => void;
  /** What is wrong with the layout of the state that is shown. */
  var layoutDefects: (isHostile: boolean) => string[];
}

/** From right to left, with English texts but for those that show the direction best. */
const arabic = {
  region: 'الدفع',
  due: 'المبلغ المستحق',
  choose: 'طريقة الدفع',
  proceed: 'متابعة',
  phone: 'رقم الهاتف',
};
registerLocale('ar', { ...en, ...arabic });

globalThis.show = async (name, theme, lang = 'ru') => {
  const state = states[name];
  if (state === undefined) throw new Error(`the gallery has no ${name}`);
  // The clock of the page is moved afterwards: an invoice that is created while the file loads would have less time left.
  await loadPaymentPart();
  await Promise.all(
    [400, 500, 600, 700].map((weight) => document.fonts.load(`${weight} 16px "Noto Sans"`, 'Abc Где 1 ₽')),
  );
  document.documentElement.lang = lang;
  const { widget, played } = playState(state, { theme });
  globalThis.played = played;
  document.body.replaceChildren(widget);
  setTheme(theme);
};

const shown = (): PayInvoiceElement => {
  const widget = document.querySelector('pay-invoice');
  if (widget === null) throw new Error('no state is shown');
  return widget;
};

globalThis.setTheme = (theme) => {
  document.documentElement.style.colorScheme = theme;
  document.body.style.background = theme === 'dark' ? '#000' : '';
  shown().theme = theme;
};

globalThis.layoutDefects = (isHostile) => findLayoutDefects(shown(), { isHostile });
