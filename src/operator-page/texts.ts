import { fractionDigitsOf } from '../base/currency-digits.ts';

/** Each text in English and in Russian. */
const texts = {
  title: ['Payments', 'Оплаты'],
  token: ['Admin token', 'Токен администратора'],
  tokenHint: ['ADMIN_TOKEN of the server, kept for this tab only.', 'ADMIN_TOKEN сервера, только для этой вкладки.'],
  signIn: ['Sign in', 'Войти'],
  signOut: ['Sign out', 'Выйти'],
  language: ['Русский', 'English'],
  unauthorized: ['This token is not right.', 'Токен неверный.'],
  rate_limited: ['Too many wrong tokens. Wait a minute.', 'Слишком много неверных токенов. Подождите минуту.'],
  network: ['No answer. Check the connection, and try again.', 'Нет ответа. Проверьте соединение и повторите.'],
  notAnswered: [
    'The service has not answered. What is shown is what it said before. It is asked again by itself: look here in a few minutes. If nothing changes, ask the provider.',
    'Сервис не ответил. Показано то, что он сообщил раньше. Запрос повторится сам: посмотрите через несколько минут. Если ничего не изменится, обратитесь к провайдеру.',
  ],
  notTold: [
    'the service has answered, and has said nothing of this invoice. It seems not to know it: ask the provider, and name the invoice (“For developers”).',
    'сервис ответил, но об этом счёте ничего не сообщил. Похоже, он его не знает: спросите провайдера и назовите номер счёта («Для разработчика»).',
  ],
  noInvoice: ['there is no invoice at the service yet.', 'в сервисе ещё нет счёта.'],
  answered: ['the service has answered', 'сервис ответил'],
  not_found: ['There is no such payment.', 'Такой оплаты нет.'],
  checkout_closed: ['The payment is closed. Open it again first.', 'Оплата закрыта. Сначала откройте её снова.'],
  nothing_to_resolve: ['Somebody has decided about it already.', 'Об этом уже кто-то решил.'],
  problem: ['That did not work', 'Не получилось'],
  search: ['Order, reference or id', 'Заказ, номер или id'],
  statuses: ['Show', 'Показать'],
  all: ['All', 'Все'],
  from: ['From', 'С'],
  until: ['Until', 'По'],
  find: ['Find', 'Найти'],
  reset: ['Reset', 'Сбросить'],
  undecided: ['Waiting for your decision', 'Ждут вашего решения'],
  paidAgain: ['Paid more than once', 'Оплачено больше одного раза'],
  paidAgainAdvice: [
    'Pay one of them back yourself. “Check at the service” then brings what the service says of it.',
    'Верните одну из оплат сами. «Проверить у сервиса» покажет, что сервис говорит о ней.',
  ],
  unread: ['What the shop has not received could not be read.', 'Не удалось прочитать, что не дошло до магазина.'],
  expectedAndCame: ['expected $1, $2 came ($3)', 'ждали $1, пришло $2 ($3)'],
  unknownInvoice: ['it is not known whether there is an invoice', 'неизвестно, есть ли счёт'],
  unknownEnd: ['the service has not said whether it was paid', 'сервис не сказал, оплачен ли счёт'],
  unknownWord: ['the service says a word that is not set up:', 'сервис сообщает незнакомый статус:'],
  undelivered: ['Not received by the shop', 'Не дошли до магазина'],
  redeliverAll: ['Deliver all again', 'Доставить все снова'],
  newest: ['Newest payments', 'Последние оплаты'],
  results: ['Found', 'Найдено'],
  nothing: ['No payment matches.', 'Ничего не найдено.'],
  allOfThem: ['Show all', 'Показать все'],
  more: ['Show more', 'Показать ещё'],
  loading: ['Loading …', 'Загрузка…'],
  refresh: ['Refresh', 'Обновить'],
  order: ['Order', 'Заказ'],
  reference: ['Reference', 'Номер'],
  checkout: ['Payment', 'Оплата'],
  created: ['Created', 'Создана'],
  byPayer: ['The payer types the amount', 'Сумму вводит плательщик'],
  invoices: ['Invoices', 'Счета'],
  invoice: ['Invoice', 'Счёт'],
  attempt: ['External id', 'Внешний номер'],
  invoiceId: ['Invoice at the service', 'Счёт в сервисе'],
  outcomeId: ['Message', 'Сообщение'],
  developers: ['For developers', 'Для разработчика'],
  method: ['Method', 'Способ'],
  cameAmount: ['Came', 'Пришло'],
  expectedAmount: ['Expected', 'Ждали'],
  difference: ['Difference', 'Разница'],
  serviceSays: ['The service says', 'Сервис сообщает'],
  serviceSaysSince: ['the service says since', 'с тех пор сервис сообщает'],
  deadline: ['Deadline', 'Срок счёта'],
  payableUntil: ['Payable until', 'Оплатить до'],
  lastCheck: ['Checked', 'Проверен'],
  askedSince: ['Asked since', 'Запрошен позже'],
  withoutIt: ['the answer was without this invoice', 'в ответе этого счёта нет'],
  nextCheck: ['Next fetch', 'Следующий запрос'],
  needsDecision: ['A person has to decide about this payment', 'Об этом платеже должен решить человек'],
  outcomes: ['Messages to the shop', 'Сообщения магазину'],
  noneYet: ['None yet.', 'Пока нет.'],
  delivered: ['received', 'доставлено'],
  nextTry: ['not received, next try', 'не доставлено, следующая попытка'],
  waitsForOther: ['not received, waits for the one before it', 'не доставлено, ждёт предыдущего сообщения'],
  abandoned: ['not received, given up', 'не доставлено, попытки прекращены'],
  tries: ['Tries', 'Попыток'],
  lastTry: ['Last try', 'Последняя попытка'],
  OK: ['received', 'получено'],
  timeout: ['the shop has not answered in time', 'магазин не ответил вовремя'],
  ECONNREFUSED: ['the shop’s server does not run', 'сервер магазина не запущен'],
  'no connection': ['no connection', 'нет соединения'],
  answered_with_html: [
    'the shop answered with a page: is OUTCOME_URL the receiver, or a login page?',
    'магазин ответил страницей: OUTCOME_URL ведёт на получателя или на страницу входа?',
  ],
  history: ['History', 'История'],
  asked: ['The payer asked for an invoice', 'Плательщик запросил счёт'],
  told: ['Told', 'Сообщено'],
  message: ['Message to the shop', 'Сообщение магазину'],
  delivery: ['Delivery', 'Доставка'],
  payer: ['Payer', 'Плательщик'],
  service: ['Service', 'Сервис'],
  shop: ['Shop', 'Магазин'],
  person: ['Operator', 'Оператор'],
  decided: ['Decided', 'Решение'],
  ahead: ['still to come', 'ещё впереди'],
  check: ['Check at the service', 'Проверить у сервиса'],
  close: ['Close', 'Закрыть'],
  reopen: ['Open again', 'Открыть снова'],
  link: ['Payment link', 'Ссылка для оплаты'],
  resolve: ['Decide', 'Решить'],
  redeliver: ['Deliver again', 'Доставить снова'],
  cancel: ['Cancel', 'Отмена'],
  checkQuestion: ['Fetch the invoices at the service now?', 'Запросить счета у сервиса сейчас?'],
  closeQuestion: [
    'Close this payment? The payer can request no more invoices. A payment of an invoice that exists is still told.',
    'Закрыть оплату? Плательщик не сможет запросить новый счёт. Об оплате уже выданного счёта магазин узнает.',
  ],
  reopenQuestion: [
    'Open this payment again? The payer can request an invoice.',
    'Открыть оплату снова? Плательщик сможет запросить счёт.',
  ],
  linkQuestion: [
    'Show the link? Whoever has it sees and pays the order. It is noted in the history.',
    'Показать ссылку? По ней видно заказ, и его можно оплатить. Это будет отмечено в истории.',
  ],
  redeliverQuestion: ['Deliver again? The shop may have it already.', 'Доставить снова? Магазин мог его уже получить.'],
  redeliverAllQuestion: ['Deliver all that the shop has not received?', 'Доставить всё, чего магазин не получил?'],
  asPaid: ['Count it: hand over the goods', 'Засчитать: отдать товар'],
  asPaidMeans: [
    'The shop is told “paid”, and the payer sees it.',
    'Магазин узнает, что заказ оплачен; плательщик увидит то же.',
  ],
  asSecondPaid: ['It has come, and is the second: pay it back', 'Пришёл, и он второй: вернуть деньги'],
  asSecondPaidMeans: [
    'The order is paid already. The shop is told of a second payment; pay one back yourself.',
    'Заказ уже оплачен. Магазин узнает о второй оплате; одну из них верните сами.',
  ],
  asVoid: ['Do not count it: pay the money back', 'Не засчитывать: вернуть деньги'],
  asVoidMeans: [
    'The shop is told that it does not count. The payer can pay again. Pay back yourself what has come.',
    'Магазин узнает, что платёж не засчитан. Плательщик сможет оплатить снова. Что пришло, верните сами.',
  ],
  doPaid: ['Count it', 'Засчитать'],
  doVoid: ['Do not count it', 'Не засчитывать'],
  note: ['Why, and who has decided so', 'Почему и кто так решил'],
  newPayment: ['New payment', 'Новая оплата'],
  whatFor: ['What for', 'За что'],
  whatForHint: ['The payer sees it. It may stay empty.', 'Увидит плательщик. Можно не заполнять.'],
  amount: ['Amount', 'Сумма'],
  whoseAmount: ['Who sets the amount', 'Кто указывает сумму'],
  amountBySeller: ['I type it', 'Укажу сам'],
  amountByPayer: ['The payer types it', 'Введёт плательщик'],
  atLeast: ['At least', 'Не меньше'],
  atMost: ['At most', 'Не больше'],
  currency: ['Currency', 'Валюта'],
  orderNumber: ['Order number', 'Номер заказа'],
  orderNumberHint: ['If empty, it is made up.', 'Если пусто, придумаем.'],
  payableUntilHint: ['If empty, without an end.', 'Если пусто, без срока.'],
  methods: ['Payment methods', 'Способы оплаты'],
  methodsHint: ['If none is chosen, all.', 'Если ничего не выбрано, все.'],
  'method.sbp': ['SBP', 'СБП'],
  'method.card': ['Transfer to a card', 'Перевод на карту'],
  'method.bank-transfer': ['Bank transfer', 'Банковский перевод'],
  createLink: ['Create the link', 'Создать ссылку'],
  amount_missing: ['Type an amount.', 'Введите сумму.'],
  amount_malformed: ['Type an amount such as 1500 or 1500.50.', 'Введите сумму, например 1500 или 1500,50.'],
  amount_too_precise: ['There are no such small coins.', 'Таких мелких монет нет.'],
  amount_too_small: ['It must be more than zero.', 'Сумма должна быть больше нуля.'],
  amount_too_large: ['This is too much.', 'Это слишком много.'],
  limits_missing: ['Set at least one limit.', 'Задайте хотя бы одну границу.'],
  limits_empty: ['It must not be less than the least amount.', 'Не может быть меньше наименьшей суммы.'],
  until_passed: ['This time has passed.', 'Это время уже прошло.'],
  secret: [
    'This is the secret of a payment link, which is not searched for. Type the order number.',
    'Это секрет ссылки на оплату, по нему не ищем. Введите номер заказа.',
  ],
  order_taken: ['There is a payment with this number already.', 'Оплата с таким номером уже есть.'],
  openTaken: ['Open it', 'Открыть её'],
  payment: ['Payment of order', 'Оплата заказа'],
  linkTitle: ['Link for the payer', 'Ссылка для плательщика'],
  linkOpen: ['Waiting for the payer', 'Ждём плательщика'],
  linkPending: ['The payer has asked for an invoice, waiting for the money', 'Плательщик получил счёт, ждём деньги'],
  linkCare: [
    'Whoever has the link sees the order and can pay it. Send it to the payer alone.',
    'По ссылке видно заказ, и его можно оплатить. Отправьте её только плательщику.',
  ],
  qrName: ['QR code of the pay page', 'QR-код страницы оплаты'],
  qrHint: ['The customer scans it with the camera of his phone.', 'Покупатель наводит на код камеру телефона.'],
  copy: ['Copy', 'Скопировать'],
  copied: ['Copied', 'Скопировано'],
  copyFailed: [
    'Copying is not allowed here. The text is selected: press Ctrl+C (⌘C), or hold it on a phone.',
    'Копировать здесь нельзя. Текст выделен: нажмите Ctrl+C (⌘C), на телефоне удерживайте его.',
  ],
  share: ['Share', 'Поделиться'],
  sms: ['Text message', 'СМС'],
  mail: ['Mail', 'Письмо'],
  openLink: ['Open', 'Открыть'],
} as const;

/** The states of checkouts and of their invoices. */
const statuses: Readonly<Record<string, readonly [string, string]>> = {
  open: ['Open', 'Открыта'],
  pending: ['Waiting for payment', 'Ждёт оплаты'],
  paid: ['Paid', 'Оплачено'],
  failed: ['Failed', 'Не прошла'],
  expired: ['Expired', 'Истекла'],
  closed: ['Closed', 'Закрыта'],
  creating: ['Being created', 'Создаётся'],
  unresolved: ['Not known', 'Неизвестно'],
  undecided: ['Waiting for a decision', 'Ждёт решения'],
  amount_mismatch: ['Another amount', 'Другая сумма'],
  test_payment: ['Test payment', 'Тестовый платёж'],
};

/** What somebody of the shop has done with a payment, for a check by its answer. */
const actions: Readonly<Record<string, readonly [string, string]>> = {
  update: ['Changed', 'Оплата изменена'],
  check: ['Checked at the service', 'Проверено у сервиса'],
  'check.not_told': ['Asked the service: nothing about the invoice', 'Запрос к сервису: о счёте ничего не сказано'],
  'check.no_answer': ['Asked the service: no answer', 'Запрос к сервису: ответа нет'],
  'check.no_invoice': ['Asked the service: there was no invoice yet', 'Запрос к сервису: счёта ещё не было'],
  close: ['Closed', 'Оплата закрыта'],
  reopen: ['Opened again', 'Оплата открыта снова'],
  link: ['Payment link shown', 'Ссылка для оплаты показана'],
  resolve: ['Decided', 'Решение принято'],
  redeliver: ['Asked to deliver again', 'Запрошена повторная доставка'],
};

/** What the shop is told. */
const kinds: Readonly<Record<string, readonly [string, string]>> = {
  ...statuses,
  duplicate_payment: ['Paid a second time', 'Оплачено второй раз'],
  create_unresolved: ['Not known whether there is an invoice', 'Неизвестно, есть ли счёт'],
  invoice_unresolved: ['Not known whether it was paid', 'Неизвестно, оплачен ли счёт'],
  resolved: ['A person has decided', 'Решил человек'],
};

export type TextName = keyof typeof texts;
const isTextName = (name: string): name is TextName => Object.hasOwn(texts, name);
const isDecimal = (text: string): text is `${number}` => /^-?\d+(?:\.\d+)?$/.test(text);

export type Translator = ReturnType<typeof createTranslator>;

/** Texts, times (RFC 3339) and amounts in one language, and in the time zone of the operator. */
export function createTranslator(language: 'en-GB' | 'ru') {
  const index = language === 'ru' ? 1 : 0;
  const text = (name: TextName): string => texts[name][index];
  const format = (time: string, options: Intl.DateTimeFormatOptions): string =>
    new Date(time).toLocaleString(language, options);
  const clock = (time: string): string => format(time, { hour: '2-digit', minute: '2-digit' });
  const day = (time: string): string => {
    const isThisYear = new Date(time).getFullYear() === new Date().getFullYear();
    return format(time, { day: 'numeric', month: 'long', ...(!isThisYear && { year: 'numeric' }) });
  };
  const numbers = (currency: string | null, signDisplay: 'auto' | 'always' = 'auto'): Intl.NumberFormat => {
    const style = currency === null ? {} : ({ style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const);
    const minimumFractionDigits = fractionDigitsOf(currency ?? '');
    return new Intl.NumberFormat(language, { minimumFractionDigits, maximumFractionDigits: 20, signDisplay, ...style });
  };
  return {
    language,
    text,
    /** The text of an error's code, where there is one. */
    textOr: (name: string, otherwise = name): string => (isTextName(name) ? text(name) : otherwise),
    /** A text under the key that it has on the payer's page; another one is the page's title. */
    message: (key: string): string => text(isTextName(key) ? key : 'title'),
    statusText: (status: string): string => statuses[status]?.[index] ?? status,
    actionText: (action: string, answer = ''): string =>
      (actions[`${action}.${answer}`] ?? actions[action])?.[index] ?? action,
    kindText: (kind: string): string => kinds[kind]?.[index] ?? kind,
    /** The hour and the minute, and the day unless it is today. */
    time: (time: string | null): string => {
      if (time === null) return '–';
      return new Date(time).toDateString() === new Date().toDateString() ? clock(time) : `${day(time)}, ${clock(time)}`;
    },
    /** How long ago it was: `5 minutes ago`. */
    ago: (time: string): string => {
      const minutes = Math.round((Date.now() - Date.parse(time)) / 60_000);
      const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
      if (minutes < 60) return relative.format(-minutes, 'minute');
      return minutes < 48 * 60
        ? relative.format(-Math.round(minutes / 60), 'hour')
        : relative.format(-Math.round(minutes / 1440), 'day');
    },
    clock: (time: string): string => format(time, { timeStyle: 'medium' }),
    day,
    /** From one decimal string to another. */
    moneyRange: (from: string, to: string, currency: string | null): string =>
      isDecimal(from) && isDecimal(to) ? numbers(currency).formatRange(from, to) : `${from}–${to}`,
    /** @param amount - a decimal string, or null when the payer types it */
    money: (amount: string | null, currency: string | null, signDisplay: 'auto' | 'always' = 'auto'): string => {
      if (amount === null || !isDecimal(amount)) return amount ?? text('byPayer');
      return numbers(currency, signDisplay).format(amount).replace('-', '−');
    },
  };
}
