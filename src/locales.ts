// Texts in other languages than those inside.
export { registerLocale } from './i18n.ts';
export type { MessageOverrides, Messages } from './i18n.ts';
