// The texts in English, to take from and to change: `element.messages = { ...en, proceed: '…' }`.
export { en, en as default } from '../i18n/en.ts';
export type { Messages } from '../i18n.ts';
