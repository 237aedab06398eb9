/** The shop's own texts; the widget brings its own. */
const texts = {
  en: {
    brand: 'Leaf & Clay',
    playground: 'Playground',
    gallery: 'All states',
    title: 'Tea and things to drink it from',
    lead: 'A shop that sells nothing: order something and pay for it in the sandbox. No money moves.',
    leadPlayed:
      'A shop that sells nothing. Its server, the invoice service and the bank are simulated in this page; no money moves.',
    cart: 'Your order',
    empty: 'Nothing chosen yet.',
    total: 'Total',
    order: 'Place the order',
    add: 'Add',
    less: 'One less',
    more: 'One more',
    another: '← Back to the shop',
    orderTitle: 'Thank you for your order',
    orderNew: 'Waiting for the payment.',
    orderPaid: 'The shop has the payment: this order is paid.',
    orderCheck: 'A person at the shop has to check:',
    developer: 'For developers',
    tag: 'What is on this page',
    bank: 'Play the payer’s bank',
    bankNote: 'What the bank does with this invoice, without leaving the page.',
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
    stateWhole: 'The whole of it',
    requests: 'Requests',
    requestsNote:
      'What the page asked of the shop’s server, and how long each answer took. An answer may be held back.',
    noAnswer: 'no answer',
    events: 'Events of the widget',
    eventsNote: 'Each as it reaches a listener on the page.',
    playgroundLead: 'Change anything; the preview and the code follow. The address holds it all and can be shared.',
    preview: 'Preview',
    code: 'What to copy',
    copyCode: 'Copy',
    backend: 'The backend',
    backendNote:
      'Node.js has the library in its own process. PHP, Python and curl talk to the checkout server: npx pay-invoice-server.',
    backendFile: 'Language and file',
    copyBackend: 'Copy the backend',
    theOrder: 'The order',
    copied: 'Copied',
    reset: 'Back to the defaults',
    anew: 'A new order',
    shown: 'What is shown',
    live: 'A live checkout in this page',
    attributes: 'Attributes',
    width: 'Width',
    properties: 'Custom properties',
    wording: 'Wording',
    slots: 'Slots',
    default: 'default',
    pick: 'Pick {what}',
    bankTitle: 'Your bank',
    bankDone: 'This invoice is {status}. You may go back to the shop.',
    bankPlayed: 'This bank is simulated: no money moves.',
    bankNone: 'There is no such invoice here',
    bankNoneText: 'The bank runs in the shop’s tab. Leave that tab open, in this browser, and follow its link again.',
    offline: 'The shop did not answer. Try again.',
    light: 'Light',
    dark: 'Dark',
    otherLanguage: 'Русский',
  },
  ru: {
    brand: 'Лист и глина',
    playground: 'Мастерская',
    gallery: 'Все состояния',
    title: 'Чай и то, из чего его пьют',
    lead: 'Магазин, который ничего не продаёт: закажите что-нибудь и оплатите в песочнице. Деньги не списываются.',
    leadPlayed:
      'Магазин, который ничего не продаёт. Его сервер, сервис счетов и банк — всё играет на этой странице; деньги не списываются.',
    cart: 'Ваш заказ',
    empty: 'Пока ничего не выбрано.',
    total: 'Итого',
    order: 'Оформить заказ',
    add: 'Добавить',
    less: 'Меньше на один',
    more: 'Больше на один',
    another: '← Вернуться в магазин',
    orderTitle: 'Спасибо за заказ',
    orderNew: 'Ждём оплату.',
    orderPaid: 'Магазин получил оплату: заказ оплачен.',
    orderCheck: 'Сотрудник магазина должен проверить:',
    developer: 'Разработчику',
    tag: 'Что стоит на этой странице',
    bank: 'Сыграть за банк плательщика',
    bankNote: 'Что банк сделает с этим счётом, не уходя со страницы.',
    pay: 'Оплатить',
    fail: 'Отказать',
    expire: 'Дать истечь',
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
    stateWhole: 'Целиком',
    requests: 'Запросы',
    requestsNote: 'Что страница спрашивала у сервера магазина и сколько шёл ответ. Ответ может придерживаться.',
    noAnswer: 'нет ответа',
    events: 'События виджета',
    eventsNote: 'Каждое — как его видит слушатель на странице.',
    playgroundLead: 'Меняйте что угодно: просмотр и код следуют за вами. Всё хранится в адресе, им можно поделиться.',
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
    reset: 'Вернуть как было',
    anew: 'Новый заказ',
    shown: 'Что показано',
    live: 'Живая оплата, играет на этой странице',
    attributes: 'Атрибуты',
    width: 'Ширина',
    properties: 'Свойства CSS',
    wording: 'Тексты',
    slots: 'Слоты',
    default: 'по умолчанию',
    pick: 'Выбрать {what}',
    bankTitle: 'Ваш банк',
    bankDone: 'Этот счёт: {status}. Можно вернуться в магазин.',
    bankPlayed: 'Банк игрушечный: деньги не списываются.',
    bankNone: 'Такого счёта здесь нет',
    bankNoneText:
      'Банк играет во вкладке магазина. Оставьте её открытой, в этом же браузере, и пройдите по ссылке ещё раз.',
    offline: 'Магазин не ответил. Попробуйте ещё раз.',
    light: 'Светлая',
    dark: 'Тёмная',
    otherLanguage: 'English',
  },
} as const;

export type Language = keyof typeof texts;
export type Text = keyof (typeof texts)['en'];

/** The language of the page: what was chosen before, else the browser's. */
export function currentLanguage(): Language {
  const chosen = localStorage.getItem('language') ?? navigator.language;
  return chosen.startsWith('ru') ? 'ru' : 'en';
}

/** A text of the page in its language, with `{name}` filled in. */
export function text(key: Text, values: Readonly<Record<string, string>> = {}): string {
  return texts[currentLanguage()][key].replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/** Fills every element that names its text, and the page's language. */
export function fillTexts(): void {
  document.documentElement.lang = currentLanguage();
  document.title = text('brand');
  for (const element of document.querySelectorAll<HTMLElement>('[data-text]')) {
    const key = element.dataset['text'];
    if (isText(key)) element.textContent = text(key);
  }
  for (const element of document.querySelectorAll<HTMLElement>('[data-label]')) {
    const key = element.dataset['label'];
    if (isText(key)) element.setAttribute('aria-label', text(key));
  }
}

function isText(key: string | undefined): key is Text {
  return key !== undefined && key in texts.en;
}

/** An amount as the page's language writes it; the decimal string goes to `Intl` as it is, so nothing is rounded. */
export function formatRoubles(amount: string): string {
  const format = new Intl.NumberFormat(currentLanguage(), {
    style: 'currency',
    currency: 'RUB',
    currencyDisplay: 'narrowSymbol',
  });
  return format.format(amount as Intl.StringNumericLiteral);
}
