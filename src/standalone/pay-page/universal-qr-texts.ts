import type { MessageOverrides } from '../../i18n.ts';
import type { languages } from './shop-footer.ts';

/** Texts for links that are universal payment codes (docs/assumptions.md): they name no way to pay but the code. */
export const universalQrTexts: Readonly<Record<keyof typeof languages, MessageOverrides>> = {
  ru: {
    'method.sbp': 'По QR-коду',
    'options.pay-by-sbp': 'Оплатить по QR-коду',
    'waiting.sbp': 'Оплатите по QR-коду',
  },
  en: {
    'method.sbp': 'By QR code',
    'options.pay-by-sbp': 'Pay by QR code',
    'waiting.sbp': 'Pay by the QR code',
  },
  kk: {
    'method.sbp': 'QR-код арқылы',
    'options.pay-by-sbp': 'QR-код арқылы төлеу',
    'waiting.sbp': 'QR-код арқылы төлеңіз',
  },
};

/** The script by which the widget in the page has these texts, too. A page with one message has no widget. */
export const universalQrScript = `Object.assign(document.querySelector('pay-invoice')??{},{messages:(${JSON.stringify(universalQrTexts)})[document.documentElement.lang.slice(0,2)]});`;
