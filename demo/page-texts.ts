import { simulatorTexts } from './simulator-texts.ts';

/** The texts of the demo's pages. The widget has its own texts. */
const texts = {
  en: {
    brand: 'Leaf & Clay',
    shopPage: 'Shop',
    pages: 'Pages',
    playground: 'Playground',
    gallery: 'All states',
    ...simulatorTexts.en,
    title: 'Tea and things to drink it from',
    lead: 'A shop that sells nothing: order something and pay for it in the sandbox. No money moves.',
    leadTest: 'A shop that sells nothing, in the test mode of the invoice service.',
    leadLive: 'A shop that sells nothing, with a real invoice service: what you pay is real money.',
    leadSimulated:
      'A shop that sells nothing. Its server, the invoice service and the bank are simulated in this page; no money moves.',
    cart: 'Your order',
    empty: 'Nothing chosen yet.',
    total: 'Total',
    order: 'Place the order',
    add: 'Add',
    inOrder: 'In your order: {count}',
    toCart: 'View your order ({count})',
    less: 'One less',
    more: 'One more',
    another: '← Back to the shop',
    orderNumber: 'Order number',
    orderTitle: 'Pay for your order',
    orderThanks: 'Thank you for your order',
    orderConfirming: 'The payment went through. The shop is confirming it.',
    orderPaid: 'The shop has the payment: this order is paid.',
    orderUnpaid: 'Your order is not paid yet',
    orderKept: 'The shop keeps the order. What to do next is below.',
    orderClosed: 'The shop has closed its payment.',
    orderCheck: 'A person at the shop has to check:',
    developer: 'For developers',
    tag: 'The tag on this page',
    bank: 'The payer’s bank',
    bankNote: 'Decide what the bank does with this invoice, without leaving the page.',
    pay: 'Pay it',
    fail: 'Refuse it',
    expire: 'Let it expire',
    open: 'Open the bank’s page',
    faults: 'Break something',
    faultsNote: 'Faults of the invoice service; each button adds one.',
    slow: 'Slow: 3 s',
    qr: '503 for the QR',
    lost: 'Lost answer',
    outage: 'Outage',
    amount: 'Wrong amount',
    status: 'Unknown status',
    faultsService: 'The service',
    hang: 'No answer, 3 times',
    emptyValues: 'Empty values',
    noBank: 'No bank available',
    faultsQr: 'QR code',
    qrRefused: 'QR: 400',
    qrNested: 'QR: 503, nested',
    qrEmpty: 'QR: 503, empty',
    qrFailed: 'QR: 500',
    faultsCreate: 'New invoices',
    late: '504, made 10 s later',
    twice: 'Lost, then a second one',
    noRequisites: 'No way to pay',
    noZone: 'Times without a zone',
    shortOffset: 'Times with +0300',
    faultsFetch: 'Waiting invoices',
    amountLater: 'Amount changes later',
    amountPaid: 'Another amount is paid',
    batch: 'Batches refused',
    statusWord: 'Status',
    setStatus: 'Set the status',
    repair: 'Repair everything',
    faultSet: 'Set: {fault}',
    repaired: 'Everything works again.',
    state: 'State of the widget',
    stateWhole: 'As JSON',
    requests: 'Requests',
    requestsNote:
      'What the page requested from the shop’s server, and how long each answer took. The server may hold an answer back on purpose.',
    noAnswer: 'no answer',
    events: 'Events of the widget',
    eventsNote: 'Each line is an event that a listener on the page received.',
    playgroundLead:
      'Change anything: the preview and the code change at once. The page’s address holds all settings and can be shared.',
    preview: 'Preview',
    code: 'What to copy',
    copyCode: 'Copy',
    backend: 'The backend',
    backendNote:
      'In Node.js the library runs in your own process. PHP, Python and curl talk to the checkout server: npx pay-invoice-server.',
    backendFile: 'Language and file',
    copyBackend: 'Copy the backend',
    theOrder: 'The order',
    copied: 'Copied',
    reset: 'Back to the defaults',
    anew: 'New order',
    shown: 'What is shown',
    widgetState: 'State of the widget',
    live: 'Live checkout',
    attributes: 'Attributes',
    properties: 'Custom properties',
    wording: 'Wording',
    slots: 'Slots',
    default: 'default',
    asPage: 'as the page',
    yes: 'yes',
    no: 'no',
    pick: 'Pick {what}',
    bankTitle: 'Your bank',
    bankDone: 'This invoice is {status}. You may go back to the shop.',
    bankSimulated: 'This bank is simulated: no money moves.',
    bankNone: 'There is no such invoice here',
    bankNoneText: 'The bank runs in the shop’s tab. Leave that tab open, in this browser, and follow its link again.',
    offline: 'The shop did not answer. Try again.',
    light: 'Light',
    dark: 'Dark',
    otherLanguage: 'Русский',
  },
  ru: {
    brand: 'Лист и глина',
    shopPage: 'Магазин',
    pages: 'Страницы',
    playground: 'Конструктор',
    gallery: 'Галерея',
    ...simulatorTexts.ru,
    title: 'Чай и то, из чего его пьют',
    lead: 'Магазин, который ничего не продаёт: закажите что-нибудь и оплатите в песочнице. Деньги не списываются.',
    leadTest: 'Магазин, который ничего не продаёт, в тестовом режиме сервиса счетов.',
    leadLive: 'Магазин, который ничего не продаёт, с настоящим сервисом счетов: вы заплатите настоящие деньги.',
    leadSimulated:
      'Магазин, который ничего не продаёт. Его сервер, сервис счетов и банк работают прямо на этой странице; деньги не списываются.',
    cart: 'Ваш заказ',
    empty: 'Пока ничего не выбрано.',
    total: 'Итого',
    order: 'Оформить заказ',
    add: 'Добавить',
    inOrder: 'В заказе: {count}',
    toCart: 'Посмотреть заказ ({count})',
    less: 'Меньше на один',
    more: 'Больше на один',
    another: '← Вернуться в магазин',
    orderNumber: 'Номер заказа',
    orderTitle: 'Оплатите заказ',
    orderThanks: 'Спасибо за заказ',
    orderConfirming: 'Оплата прошла. Магазин её подтверждает.',
    orderPaid: 'Магазин получил оплату: заказ оплачен.',
    orderUnpaid: 'Заказ пока не оплачен',
    orderKept: 'Магазин сохранил заказ. Что делать дальше, написано ниже.',
    orderClosed: 'Магазин закрыл его оплату.',
    orderCheck: 'Сотрудник магазина должен проверить:',
    developer: 'Разработчику',
    tag: 'Тег на этой странице',
    bank: 'Банк плательщика',
    bankNote: 'Решите, что банк сделает с этим счётом, не уходя со страницы.',
    pay: 'Оплатить',
    fail: 'Отказать',
    expire: 'Просрочить',
    open: 'Открыть страницу банка',
    faults: 'Что-нибудь сломать',
    faultsNote: 'Сбои сервиса счетов; каждая кнопка добавляет один.',
    slow: 'Медленно: 3 с',
    qr: '503 на QR',
    lost: 'Потерянный ответ',
    outage: 'Отключение',
    amount: 'Не та сумма',
    status: 'Неизвестный статус',
    faultsService: 'Сервис',
    hang: 'Нет ответа, 3 раза',
    emptyValues: 'Пустые значения',
    noBank: 'Нет доступных банков',
    faultsQr: 'QR-код',
    qrRefused: 'QR: 400',
    qrNested: 'QR: 503, вложенный код',
    qrEmpty: 'QR: 503, пустой ответ',
    qrFailed: 'QR: 500',
    faultsCreate: 'Новые счета',
    late: '504, счёт через 10 с',
    twice: 'Потерян, затем второй',
    noRequisites: 'Нечем оплатить',
    noZone: 'Время без пояса',
    shortOffset: 'Время с +0300',
    faultsFetch: 'Ожидающие счета',
    amountLater: 'Сумма меняется потом',
    amountPaid: 'Оплачена другая сумма',
    batch: 'Списки отклоняются',
    statusWord: 'Статус',
    setStatus: 'Поставить статус',
    repair: 'Всё починить',
    faultSet: 'Включено: {fault}',
    repaired: 'Всё снова работает.',
    state: 'Состояние виджета',
    stateWhole: 'В виде JSON',
    requests: 'Запросы',
    requestsNote:
      'Что страница запрашивала у сервера магазина и сколько времени занял ответ. Сервер может намеренно задержать ответ.',
    noAnswer: 'нет ответа',
    events: 'События виджета',
    eventsNote: 'Каждая строка — событие, которое получил обработчик на странице.',
    playgroundLead:
      'Меняйте что угодно: просмотр и код меняются сразу. Все настройки хранятся в адресе страницы, им можно поделиться.',
    preview: 'Просмотр',
    code: 'Что скопировать',
    copyCode: 'Скопировать',
    backend: 'Серверная часть',
    backendNote:
      'В Node.js библиотека работает в вашем процессе. PHP, Python и curl обращаются к серверу оплат: npx pay-invoice-server.',
    backendFile: 'Язык и файл',
    copyBackend: 'Скопировать серверную часть',
    theOrder: 'Заказ',
    copied: 'Скопировано',
    reset: 'Сбросить настройки',
    anew: 'Новый заказ',
    shown: 'Что показано',
    widgetState: 'Состояние виджета',
    live: 'Живая оплата',
    attributes: 'Атрибуты',
    properties: 'Свойства CSS',
    wording: 'Тексты',
    slots: 'Слоты',
    default: 'по умолчанию',
    asPage: 'как на странице',
    yes: 'да',
    no: 'нет',
    pick: 'Выбрать {what}',
    bankTitle: 'Ваш банк',
    bankDone: 'Этот счёт: {status}. Можно вернуться в магазин.',
    bankSimulated: 'Это учебный банк: деньги не списываются.',
    bankNone: 'Такого счёта здесь нет',
    bankNoneText:
      'Банк работает во вкладке магазина. Оставьте её открытой, в этом же браузере, и пройдите по ссылке ещё раз.',
    offline: 'Магазин не ответил. Попробуйте ещё раз.',
    light: 'Светлая',
    dark: 'Тёмная',
    otherLanguage: 'English',
  },
} as const;

/** The widget's languages that the demo offers. Each name is in the language that it names. */
export const languageNames: Readonly<Record<string, string>> = { ru: 'Русский', en: 'English', kk: 'Қазақша' };

export type Language = keyof typeof texts;
export type Text = keyof (typeof texts)['en'];

/** The language of the page: the stored choice, else the browser's language. */
export function currentLanguage(): Language {
  const language = localStorage.getItem('language') ?? navigator.language;
  return language.startsWith('ru') ? 'ru' : 'en';
}

/** A text in the page's language. Each `{name}` in it is replaced by that value. */
export function text(
  key: Text,
  values: Readonly<Record<string, string>> = {},
  language: Language = currentLanguage(),
): string {
  return texts[language][key].replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/** Sets the page's language, and the text or label of every element with `data-text` or `data-label`. */
export function fillTexts(language: Language = currentLanguage()): void {
  document.documentElement.lang = language;
  document.title = text('brand', {}, language);
  for (const element of document.querySelectorAll<HTMLElement>('[data-text]')) {
    const key = element.dataset['text'];
    if (isText(key)) element.textContent = text(key, {}, language);
  }
  for (const element of document.querySelectorAll<HTMLElement>('[data-label]')) {
    const key = element.dataset['label'];
    if (isText(key)) element.setAttribute('aria-label', text(key, {}, language));
  }
}

/** Sets the text of an element by its key, so that `fillTexts` translates it when the page's language changes. */
export function setText(element: HTMLElement, key: Text | ''): void {
  element.dataset['text'] = key;
  element.textContent = key && text(key);
}

function isText(key: string | undefined): key is Text {
  return key !== undefined && key in texts.en;
}

/** Formats an amount in roubles in the page's language. `Intl` receives the decimal string unchanged, so nothing is rounded. */
export function formatRoubles(amount: string): string {
  const format = new Intl.NumberFormat(currentLanguage(), {
    style: 'currency',
    currency: 'RUB',
    currencyDisplay: 'narrowSymbol',
  });
  return format.format(amount as Intl.StringNumericLiteral);
}
