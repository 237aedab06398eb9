import type { Messages } from '../i18n/messages-type.ts';
import texts from './kk.json';

/** All texts in Kazakh. The package entry `pay-invoice/locales/kk` exports them too. */
export const kk: Messages = texts;

export { kk as default };
export type { Messages };
