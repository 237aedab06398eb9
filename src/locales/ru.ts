import type { Messages } from '../i18n/messages-type.ts';
import { ruOptions } from './ru/payment-options.ts';
import { ruPayment } from './ru/payment-chunk.ts';

/**
 * All texts in Russian. The package entry `pay-invoice/locales/ru` exports them too, for example to change one:
 * `element.messages = { ...ru, proceed: '…' }`.
 */
export const ru: Messages = { ...ruOptions, ...ruPayment };

export { ru as default };
export type { Messages };
