import type { Messages } from '../i18n/messages-type.ts';
import dialogTexts from './ru/dialog.json';
import firstFileTexts from './ru/first-file.json';
import secondFileTexts from './ru/second-file.json';

/** All texts in Russian. The package entry `pay-invoice/locales/ru` exports them too. */
export const ru: Messages = { ...firstFileTexts, ...secondFileTexts, ...dialogTexts };

export { ru as default };
export type { Messages };
