import { en } from '../src/locales/en.ts';
import { ru } from '../src/locales/ru.ts';
import { stateTitle } from './gallery-titles.ts';
import type { Field } from './playground-fields.ts';
import { currentLanguage, languageNames, text, type Language } from './page-texts.ts';

/** The labels of the fields, by name. A field that replaces a text of the widget has no label here: its label is that text. */
const labels: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: {
    state: 'State',
    width: 'Widest',
    amount: 'Amount',
    currency: 'Currency',
    lang: 'Language',
    theme: 'Theme',
    method: 'Method that is selected first',
    'phone-url': 'Address for the phone',
    'page-title': 'Outcome in the page’s title',
    'auto-continue': 'Continue without a choice',
    'return-after': 'Back to the shop after, in seconds',
    '--pay-invoice-accent': 'Accent',
    '--pay-invoice-accent-text': 'Text on the accent',
    '--pay-invoice-text': 'Text',
    '--pay-invoice-muted': 'Secondary text',
    '--pay-invoice-surface': 'Surface',
    '--pay-invoice-border': 'Borders',
    '--pay-invoice-danger': 'Errors',
    '--pay-invoice-success': 'Success',
    '--pay-invoice-radius': 'Radius of corners',
    '--pay-invoice-space': 'Spacing',
    '--pay-invoice-font-size': 'Size of text',
    '--pay-invoice-font': 'Font',
    'slot.header': 'Above the amount',
    'slot.footer': 'Below everything',
    'slot.paid': 'When it is paid',
    'slot.failed': 'When it failed',
    'slot.expired': 'When it expired',
  },
  ru: {
    state: 'Состояние',
    width: 'Наибольшая ширина',
    amount: 'Сумма',
    currency: 'Валюта',
    lang: 'Язык',
    theme: 'Тема',
    method: 'Способ, выбранный сначала',
    'phone-url': 'Адрес для телефона',
    'page-title': 'Итог в заголовке страницы',
    'auto-continue': 'Продолжать без выбора',
    'return-after': 'Возврат в магазин, через секунд',
    '--pay-invoice-accent': 'Акцент',
    '--pay-invoice-accent-text': 'Текст на акценте',
    '--pay-invoice-text': 'Текст',
    '--pay-invoice-muted': 'Второстепенный текст',
    '--pay-invoice-surface': 'Фон',
    '--pay-invoice-border': 'Границы',
    '--pay-invoice-danger': 'Ошибки',
    '--pay-invoice-success': 'Успех',
    '--pay-invoice-radius': 'Скругление углов',
    '--pay-invoice-space': 'Отступы',
    '--pay-invoice-font-size': 'Размер текста',
    '--pay-invoice-font': 'Шрифт',
    'slot.header': 'Над суммой',
    'slot.footer': 'Под всем остальным',
    'slot.paid': 'Когда оплачено',
    'slot.failed': 'Когда оплата не прошла',
    'slot.expired': 'Когда срок истёк',
  },
};

/** The label of a field in the page's language. */
export function labelOf({ name }: Field): string {
  return labels[currentLanguage()][name] ?? defaultMessage(name) ?? name;
}

/** The text of a field's choice in the page's language. */
export function choiceTitle({ name }: Field, choice: string): string {
  switch (name) {
    case 'state':
      return choice === 'live' ? text('live') : stateTitle(choice, currentLanguage());
    case 'theme':
      return choice === 'auto' ? text('asPage') : text(choice === 'dark' ? 'dark' : 'light');
    case 'lang':
      return languageNames[choice] ?? text('asPage');
    case 'page-title':
    case 'auto-continue':
      return text(choice === '' ? 'no' : 'yes');
    default:
      return choice === '' ? text('default') : choice;
  }
}

/** The widget's own text that `messages.<name>` replaces. */
function defaultMessage(name: string): string | undefined {
  const message: unknown = Reflect.get(currentLanguage() === 'ru' ? ru : en, name.replace(/^messages\./, ''));
  return typeof message === 'string' ? `“${message}”` : undefined;
}
