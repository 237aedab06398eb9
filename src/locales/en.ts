// The package entry `pay-invoice/locales/en`, to change some texts: `element.messages = { ...en, proceed: '…' }`.
export { en, en as default } from '../i18n/catalogues/en.ts';
export type { Messages } from '../i18n.ts';
