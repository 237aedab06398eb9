// The texts in Russian, to take from and to change: `element.messages = { ...ru, proceed: '…' }`.
export { ru, ru as default } from '../i18n/ru.ts';
export type { Messages } from '../i18n.ts';
