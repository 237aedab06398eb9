// Texts for payers in their language, and numbers, amounts and times by Intl.
export type { Messages } from './i18n/messages-type.ts';
export type { Money } from './i18n/format-money.ts';
export { createTranslator, loadMessages, pickLanguage, type Translator } from './i18n/translator.ts';
export { stepOf } from './i18n/format-time-left.ts';
