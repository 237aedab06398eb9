// Texts in other languages than those inside.
export { registerLocale, type MessageOverrides, type Messages } from './i18n.ts';
