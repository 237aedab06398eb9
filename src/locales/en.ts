import type { Messages } from '../i18n/messages-type.ts';
import texts from './en.json';

/** All texts in English. The package entry `pay-invoice/locales/en` exports them too. */
export const en: Messages = texts;

export { en as default };
export type { Messages };
