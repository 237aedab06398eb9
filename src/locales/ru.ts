import type { Messages } from '../i18n/messages-type.ts';
import { ruFirstFile } from './ru/first-file.ts';
import { ruSecondFile } from './ru/second-file.ts';

/**
 * All texts in Russian. The package entry `pay-invoice/locales/ru` exports them too, for example to change one:
 * `element.messages = { ...ru, proceed: '…' }`.
 */
export const ru: Messages = { ...ruFirstFile, ...ruSecondFile };

export { ru as default };
export type { Messages };
