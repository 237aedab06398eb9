// The package entry `pay-invoice/locales/ru`, to change some texts: `element.messages = { ...ru, proceed: '…' }`.
export { ru, ru as default } from '../i18n/catalogues/ru.ts';
export type { Messages } from '../i18n.ts';
