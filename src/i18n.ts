// Texts for payers: typed catalogues, and numbers, amounts and times by Intl.
export { loadMessages, pickLanguage } from './i18n/language.ts';
export type { Messages } from './i18n/messages.ts';
export type { Money } from './i18n/money.ts';
export { createTexts, type Texts } from './i18n/texts.ts';
export { stepOf } from './i18n/time-left.ts';
