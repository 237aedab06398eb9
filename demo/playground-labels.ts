import { en } from '../src/locales/en.ts';
import { ru } from '../src/locales/ru.ts';
import { stateTitle } from './gallery-titles.ts';
import type { Field } from './playground-fields.ts';
import { currentLanguage, languageNames, text } from './page-texts.ts';

/** The labels of the fields in both languages. A field that replaces a text of the widget has no label here: its label is that text. */
const labels: Readonly<Record<string, readonly [string, string]>> = {
  state: ['State', 'Состояние'],
  width: ['Widest', 'Наибольшая ширина'],
  amount: ['Amount', 'Сумма'],
  currency: ['Currency', 'Валюта'],
  lang: ['Language', 'Язык'],
  theme: ['Theme', 'Тема'],
  method: ['Method that is selected first', 'Способ, выбранный сначала'],
  'phone-url': ['Address for the phone', 'Адрес для телефона'],
  'page-title': ['Outcome in the page’s title', 'Итог в заголовке страницы'],
  'auto-continue': ['Continue without a choice', 'Продолжать без выбора'],
  'return-after': ['Back to the shop after, in seconds', 'Возврат в магазин, через секунд'],
  '--pay-invoice-accent': ['Accent', 'Акцент'],
  '--pay-invoice-accent-text': ['Text on the accent', 'Текст на акценте'],
  '--pay-invoice-text': ['Text', 'Текст'],
  '--pay-invoice-muted': ['Secondary text', 'Второстепенный текст'],
  '--pay-invoice-surface': ['Surface', 'Фон'],
  '--pay-invoice-border': ['Borders', 'Границы'],
  '--pay-invoice-danger': ['Errors', 'Ошибки'],
  '--pay-invoice-success': ['Success', 'Успех'],
  '--pay-invoice-radius': ['Radius of corners', 'Скругление углов'],
  '--pay-invoice-space': ['Spacing', 'Отступы'],
  '--pay-invoice-font-size': ['Size of text', 'Размер текста'],
  '--pay-invoice-font': ['Font', 'Шрифт'],
  'slot.header': ['Above the amount', 'Над суммой'],
  'slot.footer': ['Below everything', 'Под всем остальным'],
  'slot.paid': ['When it is paid', 'Когда оплачено'],
  'slot.failed': ['When it failed', 'Когда оплата не прошла'],
  'slot.expired': ['When it expired', 'Когда срок истёк'],
};

/** The label of a field in the page's language. */
export function labelOf({ name }: Field): string {
  return labels[name]?.[currentLanguage() === 'ru' ? 1 : 0] ?? defaultMessage(name) ?? name;
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
