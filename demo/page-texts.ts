/** The texts of the demo's pages, in English and in Russian. The widget has its own texts. */
const texts = {
  brand: ['Leaf & Clay', 'Лист и глина'],
  shopPage: ['Shop', 'Магазин'],
  pages: ['Pages', 'Страницы'],
  playground: ['Playground', 'Конструктор'],
  gallery: ['All states', 'Галерея'],
  allStates: ['← All states', '← Все состояния'],
  title: ['Tea and things to drink it from', 'Чай и то, из чего его пьют'],
  lead: [
    'A shop that sells nothing: order something and pay for it in the sandbox. No money moves.',
    'Магазин, который ничего не продаёт: закажите что-нибудь и оплатите в песочнице. Деньги не списываются.',
  ],
  leadTest: [
    'A shop that sells nothing, in the test mode of the invoice service.',
    'Магазин, который ничего не продаёт, в тестовом режиме сервиса счетов.',
  ],
  leadLive: [
    'A shop that sells nothing, with a real invoice service: what you pay is real money.',
    'Магазин, который ничего не продаёт, с настоящим сервисом счетов: вы заплатите настоящие деньги.',
  ],
  leadNoServer: [
    'The shop needs its server: npm ci && npm start. The playground and the gallery work without one.',
    'Магазину нужен его сервер: npm ci && npm start. Конструктор и галерея работают без него.',
  ],
  cart: ['Your order', 'Ваш заказ'],
  empty: ['Nothing chosen yet.', 'Пока ничего не выбрано.'],
  total: ['Total', 'Итого'],
  order: ['Place the order', 'Оформить заказ'],
  add: ['Add', 'Добавить'],
  inOrder: ['In your order: {count}', 'В заказе: {count}'],
  toCart: ['View your order ({count})', 'Посмотреть заказ ({count})'],
  less: ['One less', 'Меньше на один'],
  more: ['One more', 'Больше на один'],
  another: ['← Back to the shop', '← Вернуться в магазин'],
  orderNumber: ['Order number', 'Номер заказа'],
  orderTitle: ['Pay for your order', 'Оплатите заказ'],
  orderThanks: ['Thank you for your order', 'Спасибо за заказ'],
  orderConfirming: ['The payment went through. The shop is confirming it.', 'Оплата прошла. Магазин её подтверждает.'],
  orderPaid: ['The shop has the payment: this order is paid.', 'Магазин получил оплату: заказ оплачен.'],
  orderUnpaid: ['Your order is not paid yet', 'Заказ пока не оплачен'],
  orderKept: [
    'The shop keeps the order. What to do next is below.',
    'Магазин сохранил заказ. Что делать дальше, написано ниже.',
  ],
  orderClosed: ['The shop has closed its payment.', 'Магазин закрыл его оплату.'],
  orderCheck: ['A person at the shop has to check:', 'Сотрудник магазина должен проверить:'],
  developer: ['For developers', 'Разработчику'],
  tag: ['The tag on this page', 'Тег на этой странице'],
  things: ['Three things to try', 'Попробуйте три вещи'],
  thingsNote: ['A live order in the sandbox. No money moves.', 'Живой заказ в песочнице. Деньги не списываются.'],
  thingsNoteNoServer: [
    'An order that is played in this page. No money moves.',
    'Заказ, который разыгрывается на этой странице. Деньги не списываются.',
  ],
  pay: ['Pay it', 'Оплатить'],
  payNote: [
    'The payer’s bank pays: the widget shows it by itself, with the receipt.',
    'Банк плательщика платит: виджет сам покажет это и данные платежа.',
  ],
  expire: ['Let it expire', 'Просрочить'],
  expireNote: [
    'The time runs out: the widget checks once more, and says what to do.',
    'Время выходит: виджет проверит ещё раз и скажет, что делать.',
  ],
  cut: ['Cut the connection', 'Оборвать связь'],
  cutNote: [
    'No request gets through for 15 seconds. The code can still be paid.',
    '15 секунд не проходит ни один запрос. Код всё ещё можно оплатить.',
  ],
  bank: ['The payer’s bank', 'Банк плательщика'],
  bankNote: ['What else the bank can do with this invoice.', 'Что ещё банк может сделать с этим счётом.'],
  fail: ['Refuse it', 'Отказать'],
  open: ['Open the bank’s page', 'Открыть страницу банка'],
  faults: ['Break something', 'Что-нибудь сломать'],
  faultsNote: [
    'Faults of the invoice service; each button adds one.',
    'Сбои сервиса счетов; каждая кнопка добавляет один.',
  ],
  slow: ['Slow: 3 s', 'Медленно: 3 с'],
  qr: ['503 for the QR', '503 на QR'],
  lost: ['Lost answer', 'Потерянный ответ'],
  outage: ['Outage', 'Отключение'],
  amount: ['Wrong amount', 'Не та сумма'],
  status: ['Unknown status', 'Неизвестный статус'],
  faultsService: ['The service', 'Сервис'],
  hang: ['No answer, 3 times', 'Нет ответа, 3 раза'],
  emptyValues: ['Empty values', 'Пустые значения'],
  noBank: ['No bank available (within 30 s)', 'Нет доступных банков (в течение 30 с)'],
  faultsQr: ['QR code', 'QR-код'],
  qrRefused: ['QR: 400', 'QR: 400'],
  qrNested: ['QR: 503, nested', 'QR: 503, вложенный код'],
  qrEmpty: ['QR: 503, empty', 'QR: 503, пустой ответ'],
  qrFailed: ['QR: 500', 'QR: 500'],
  faultsCreate: ['New invoices', 'Новые счета'],
  late: ['504, made 10 s later', '504, счёт через 10 с'],
  twice: ['Lost, then a second one', 'Потерян, затем второй'],
  noRequisites: ['No way to pay', 'Нечем оплатить'],
  noZone: ['Times without a zone', 'Время без пояса'],
  shortOffset: ['Times with +0300', 'Время с +0300'],
  faultsFetch: ['Waiting invoices', 'Ожидающие счета'],
  amountLater: ['Amount changes later', 'Сумма меняется потом'],
  amountPaid: ['Another amount is paid', 'Оплачена другая сумма'],
  batch: ['Batches refused', 'Списки отклоняются'],
  statusWordTitle: ['Any status of the invoice', 'Любой статус счёта'],
  statusWord: ['Status', 'Статус'],
  setStatus: ['Set the status', 'Поставить статус'],
  repair: ['Repair everything', 'Всё починить'],
  faultSet: ['Set: {fault}', 'Включено: {fault}'],
  repaired: ['Everything works again.', 'Всё снова работает.'],
  state: ['State of the widget', 'Состояние виджета'],
  stateWhole: ['As JSON', 'В виде JSON'],
  requests: ['Requests', 'Запросы'],
  requestsNote: [
    'What the page requested from the shop’s server, and how long each answer took. The server may hold an answer back on purpose.',
    'Что страница запрашивала у сервера магазина и сколько времени занял ответ. Сервер может намеренно задержать ответ.',
  ],
  noAnswer: ['no answer', 'нет ответа'],
  events: ['Events of the widget', 'События виджета'],
  eventsNote: [
    'Each line is an event that a listener on the page received.',
    'Каждая строка — событие, которое получил обработчик на странице.',
  ],
  playgroundLead: [
    'Change anything: the preview and the code change at once. The page’s address holds all settings and can be shared.',
    'Меняйте что угодно: просмотр и код меняются сразу. Все настройки хранятся в адресе страницы, им можно поделиться.',
  ],
  brands: ['Brands to begin with', 'Марки для начала'],
  preview: ['Preview', 'Просмотр'],
  code: ['What to copy', 'Что скопировать'],
  copyCode: ['Copy', 'Скопировать'],
  backend: ['The backend', 'Серверная часть'],
  backendNote: [
    'In Node.js the library runs in your own process. PHP, Python and curl talk to the checkout server: npx pay-invoice-server.',
    'В Node.js библиотека работает в вашем процессе. PHP, Python и curl обращаются к серверу оплат: npx pay-invoice-server.',
  ],
  backendFile: ['Language and file', 'Язык и файл'],
  copyBackend: ['Copy the backend', 'Скопировать серверную часть'],
  theOrder: ['The order', 'Заказ'],
  copied: ['Copied', 'Скопировано'],
  reset: ['Back to the defaults', 'Сбросить настройки'],
  anew: ['New order', 'Новый заказ'],
  shown: ['What is shown', 'Что показано'],
  widgetState: ['State of the widget', 'Состояние виджета'],
  live: ['Live checkout', 'Живая оплата'],
  attributes: ['Attributes', 'Атрибуты'],
  properties: ['Custom properties', 'Свойства CSS'],
  wording: ['Wording', 'Тексты'],
  slots: ['Slots', 'Слоты'],
  default: ['default', 'по умолчанию'],
  asPage: ['as the page', 'как на странице'],
  yes: ['yes', 'да'],
  no: ['no', 'нет'],
  pick: ['Pick {what}', 'Выбрать {what}'],
  offline: ['The shop did not answer. Try again.', 'Магазин не ответил. Попробуйте ещё раз.'],
  light: ['Light', 'Светлая'],
  dark: ['Dark', 'Тёмная'],
  otherLanguage: ['Русский', 'English'],
} as const;

/** The widget's languages that the demo offers. Each name is in the language that it names. */
export const languageNames: Readonly<Record<string, string>> = { ru: 'Русский', en: 'English', kk: 'Қазақша' };

export type Language = 'en' | 'ru';
export type Text = keyof typeof texts;

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
  return texts[key][language === 'ru' ? 1 : 0].replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
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

export function isText(key: string | undefined): key is Text {
  return key !== undefined && key in texts;
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
