import { parseAccept } from 'hono/utils/accept';

/** The languages of the bank's pages. */
const languages = ['ru', 'en'] as const;
export type Language = (typeof languages)[number];

const ru = {
  bank: 'Банк Песочница',
  test: 'ТЕСТ',
  testNote: 'Это учебный банк: настоящие деньги не списываются.',
  otherLanguage: 'English',
  pendingTitle: 'Подтвердите оплату',
  paidTitle: 'Оплачено',
  paidNote: 'Платёж принят, магазин узнает об этом сам.',
  refusedTitle: 'Вы отказались от оплаты',
  refusedNote: 'Деньги не списаны. Оформить новый счёт можно в магазине.',
  expiredTitle: 'Срок счёта истёк',
  expiredNote: 'Оплатить его уже нельзя. Оформите новый счёт в магазине.',
  otherTitle: 'Платёж обрабатывается',
  otherNote: 'Банк ещё не сообщил итог.',
  unknownTitle: 'Счёт не найден',
  unknownNote: 'Проверьте ссылку или вернитесь в магазин и откройте оплату ещё раз.',
  foreignTitle: 'Запрос отклонён',
  foreignNote: 'Он пришёл с другого сайта. Откройте страницу оплаты и нажмите кнопку на ней.',
  pay: 'Оплатить',
  refuse: 'Отказаться',
  back: 'Вернуться в магазин',
  details: 'Детали платежа',
  merchant: 'Магазин',
  merchantName: 'Тестовый магазин',
  order: 'Заказ',
  invoice: 'Счёт',
  method: 'Способ',
  sbp: 'СБП',
  card: 'Карта',
  bank_transfer: 'Перевод по реквизитам',
  validUntil: 'Действует до',
  status: 'Статус',
  moscow: 'МСК',
  lessThanMinute: 'осталось меньше минуты',
  left: 'осталось',
  holder_name: 'Получатель',
  recipientBank: 'Банк',
  phone: 'Телефон',
  card_number: 'Номер карты',
  account: 'Счёт',
  bik: 'БИК',
} as const;

/** The texts of the pages by name. */
export type Texts = Readonly<Record<keyof typeof ru, string>>;

const en: Texts = {
  bank: 'Sandbox Bank',
  test: 'TEST',
  testNote: 'This is a test bank: no real money moves.',
  otherLanguage: 'Русский',
  pendingTitle: 'Confirm the payment',
  paidTitle: 'Paid',
  paidNote: 'The payment is accepted. The shop is notified automatically.',
  refusedTitle: 'You refused to pay',
  refusedNote: 'No money has moved. You can ask the shop for a new invoice.',
  expiredTitle: 'The invoice has expired',
  expiredNote: 'It can no longer be paid. Ask the shop for a new one.',
  otherTitle: 'The payment is being processed',
  otherNote: 'The bank has not reported the result yet.',
  unknownTitle: 'There is no such invoice',
  unknownNote: 'Check the link, or go back to the shop and open the payment again.',
  foreignTitle: 'Request refused',
  foreignNote: 'It came from another site. Open the payment page and press its button.',
  pay: 'Pay',
  refuse: 'Refuse',
  back: 'Back to the shop',
  details: 'Payment details',
  merchant: 'Shop',
  merchantName: 'Test shop',
  order: 'Order',
  invoice: 'Invoice',
  method: 'Method',
  sbp: 'SBP (Faster Payments)',
  card: 'Card',
  bank_transfer: 'Bank transfer',
  validUntil: 'Valid until',
  status: 'Status',
  moscow: 'Moscow time',
  lessThanMinute: 'less than a minute left',
  left: 'left',
  holder_name: 'Recipient',
  recipientBank: 'Bank',
  phone: 'Phone',
  card_number: 'Card number',
  account: 'Account',
  bik: 'BIK',
};

/** The texts of each language. */
export const texts: Readonly<Record<Language, Texts>> = { ru, en };

/** The texts of the page that lists invoices. */
export const overviewTexts: Readonly<Record<Language, Readonly<Record<'title' | 'note' | 'empty', string>>>> = {
  ru: {
    title: 'Счета в песочнице',
    note: 'Новые сверху. Откройте счёт, чтобы оплатить его или отказаться.',
    empty: 'Пока ни одного. Создайте счёт запросом CreateInvoice, и он появится здесь.',
  },
  en: {
    title: 'Invoices in the sandbox',
    note: 'The newest first. Open one to pay or refuse it.',
    empty: 'None yet. Create one by CreateInvoice, and it will be here.',
  },
};

/** Returns the language of `?lang=` or else the first supported one of `Accept-Language`. Russian without the header, else English. */
export function chooseLanguage(queryLanguage: string | undefined, acceptLanguage: string | undefined): Language {
  const queryMatch = languages.find((language) => language === queryLanguage);
  if (queryMatch !== undefined) return queryMatch;
  if (acceptLanguage === undefined || acceptLanguage.trim() === '') return 'ru';
  for (const { type, q } of parseAccept(acceptLanguage)) {
    if (q === 0) continue;
    if (type === '*') return 'ru';
    const supportedLanguage = languages.find((language) => type.toLowerCase().split('-')[0] === language);
    if (supportedLanguage !== undefined) return supportedLanguage;
  }
  return 'en';
}

/** Formats a decimal amount as money with kopecks, such as `1 500,00 ₽`; a text that is not a decimal is returned unchanged. */
export function formatMoney(amount: string, language: Language): string {
  const options = { style: 'currency', currency: 'RUB', currencyDisplay: 'narrowSymbol' } as const;
  const format = new Intl.NumberFormat(language === 'ru' ? 'ru-RU' : 'en-GB', options);
  return isNumeric(amount) ? format.format(amount) : amount;
}

function isNumeric(text: string): text is `${number}` {
  return /^-?\d+(?:\.\d+)?$/.test(text);
}

/** Formats a time, in milliseconds since 1970, as the time of day in Moscow. */
export function formatTime(ms: number, language: Language): string {
  return new Intl.DateTimeFormat(language, {
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
    timeZone: 'Europe/Moscow',
  }).format(ms);
}

/** Formats a time, in milliseconds since 1970, as the date and time of day in Moscow. */
export function formatDateTime(ms: number, language: Language): string {
  const format = new Intl.DateTimeFormat(language === 'ru' ? 'ru' : 'en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZone: 'Europe/Moscow',
  });
  return format.format(ms);
}

/** Formats the remaining time in hours and whole minutes. */
export function formatTimeLeft(ms: number, language: Language): string {
  const { left, lessThanMinute } = texts[language];
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return lessThanMinute;
  const unit = (value: number, name: 'hour' | 'minute'): string =>
    new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'short' }).format(value);
  const hours = Math.floor(minutes / 60);
  const timeParts = [hours > 0 && unit(hours, 'hour'), minutes % 60 > 0 && unit(minutes % 60, 'minute')];
  const text = timeParts.filter((part) => part !== false).join(' ');
  return language === 'ru' ? `${left} ${text}` : `${text} ${left}`;
}
