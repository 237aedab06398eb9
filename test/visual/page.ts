// Shows a state of the gallery in a font of the project, so that every machine draws the same letters.
import type { PayInvoiceElement } from '../../src/element.ts';
import type { registerLocale } from '../../src/locales.ts';
import { appearanceOf, playState } from '../../demo/play-gallery-state.ts';
import { states, type GalleryState } from '../../demo/gallery-states.ts';
import { en } from '../../src/locales/en.ts';
import { loadBuiltWidget } from '../support/load-built-widget.ts';
import { findLayoutDefects } from '../view/layout-defects.ts';
import { inEnglish } from './english-names.ts';

declare global {
  /** Shows a state of the gallery, with the names of the shop and of the service in Russian, or in English. */
  var show: (name: string, theme: 'light' | 'dark', lang?: string, names?: 'ru' | 'en') => void;
  /** Waits for the fonts. */
  var waitForFonts: () => void;
  /** The state of `show` or `waitForFonts`: whether it is done, or the text of its error. */
  var progress: boolean | string;
  /** Changes the theme of the state that is shown. */
  var setTheme: (theme: 'light' | 'dark') => void;
  /** The layout defects of the state that is shown. */
  var layoutDefects: (isHostile: boolean) => string[];
}

/** Texts of a language that is written from right to left. All other texts are English. */
const arabic = {
  'widget.name': 'الدفع',
  'header.due': 'المبلغ المستحق',
  'options.title': 'طريقة الدفع',
  'options.pay-by-sbp': 'متابعة',
  'requisite.phone': 'رقم الهاتف',
};

interface WidgetModule {
  readonly registerLocale: typeof registerLocale;
}
const isWidgetModule = (module: object): module is WidgetModule => 'registerLocale' in module;

async function loadWidget(): Promise<void> {
  const widget = await (location.search === '?source' ? import('../../src/pay-invoice.ts') : loadBuiltWidget('/'));
  if (!isWidgetModule(widget)) throw new Error('pay-invoice.js does not export registerLocale');
  widget.registerLocale('ar', { ...en, ...arabic });
}
const widgetLoaded = loadWidget();

/** The caller polls `progress`, because Chromium may collect a promise for which the caller in Node waits. */
function track(work: Promise<unknown>): void {
  globalThis.progress = false;
  work.then(
    () => (globalThis.progress = true),
    (error: unknown) => (globalThis.progress = String(error)),
  );
}

globalThis.show = (name, theme, lang = 'ru', names = 'ru') => {
  const state = states[name];
  if (state === undefined) throw new Error(`the gallery has no ${name}`);
  track(showState(names === 'en' ? inEnglish(state) : state, theme, lang));
};

async function showState(state: GalleryState, theme: 'light' | 'dark', lang: string): Promise<void> {
  // The file must be loaded before the page's clock advances. Otherwise an invoice that is created meanwhile has less time left.
  await widgetLoaded;
  await Promise.all(
    [400, 500, 600, 700].map((weight) => document.fonts.load(`${weight} 16px "Noto Sans"`, 'Abc Где 1 ₽')),
  );
  document.documentElement.lang = lang;
  const shownState = playState(state, { theme });
  document.body.replaceChildren(shownState.widget);
  setTheme(theme);
  // The picture of a QR is made in real time. It must be there before the clock advances, or what is announced first is left to chance.
  if (state.click === 'save') await shownState.played;
  // The countdown's controller is imported when the checkout is paid. It must be there before the clock advances.
  if (state.returnAfter !== undefined) await appearanceOf(shownState.widget, '[part=actions] button');
}

globalThis.waitForFonts = () => {
  document.body.getBoundingClientRect(); // Fonts begin to load at the first layout.
  track(document.fonts.ready);
};

const findShownWidget = (): PayInvoiceElement => {
  const widget = document.querySelector('pay-invoice');
  if (widget === null) throw new Error('no state is shown');
  return widget;
};

globalThis.setTheme = (theme) => {
  document.documentElement.style.colorScheme = theme;
  document.body.style.background = theme === 'dark' ? '#000' : '';
  findShownWidget().theme = theme;
};

globalThis.layoutDefects = (isHostile) => findLayoutDefects(findShownWidget(), { isHostile });
