// Texts for payers in their language, and numbers, amounts and times as it writes them.
export type {
  LoadedMessages,
  Message,
  MessageKey,
  MessageOverrides,
  Messages,
  FirstFileMessages,
} from './i18n/messages-type.ts';
export {
  bundledMessages,
  canonicalTag,
  loadMessages,
  localeListeners,
  pickFormattingLanguage,
  pickLanguage,
  registerLocale,
} from './i18n/load-messages.ts';
export { dialogTexts } from './i18n/dialog-texts.ts';
export { createFirstFileTranslator, type FirstFileTranslator } from './i18n/first-file-translator.ts';
export { completeTranslator, createTranslator, type MomentStyle, type Translator } from './i18n/translator.ts';
export { countdownStepMs, type Money } from './i18n/format-numbers.ts';
