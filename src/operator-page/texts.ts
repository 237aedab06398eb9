/** Each text in English and in Russian. */
const texts = {
  title: ['Checkouts', 'Оплаты'],
  token: ['Admin token', 'Токен администратора'],
  tokenHint: ['ADMIN_TOKEN of the server, kept for this tab only.', 'ADMIN_TOKEN сервера, только для этой вкладки.'],
  signIn: ['Sign in', 'Войти'],
  signOut: ['Sign out', 'Выйти'],
  language: ['Русский', 'English'],
  unauthorized: ['This token is not right.', 'Токен неверный.'],
  rate_limited: ['Too many wrong tokens. Wait a minute.', 'Слишком много неверных токенов. Подождите минуту.'],
  network: ['No answer. Check the connection, and try again.', 'Нет ответа. Проверьте соединение и повторите.'],
  not_found: ['There is no such checkout.', 'Такой оплаты нет.'],
  problem: ['That did not work', 'Не получилось'],
  search: ['Order, reference or id', 'Заказ, номер или id'],
  status: ['Status', 'Статус'],
  anyStatus: ['Any status', 'Любой статус'],
  from: ['From', 'С'],
  until: ['Until', 'По'],
  find: ['Find', 'Найти'],
  reset: ['Reset', 'Сбросить'],
  undelivered: ['Outcomes that the shop has not received', 'Исходы, которых магазин не получил'],
  redeliverAll: ['Deliver all again', 'Доставить все снова'],
  newest: ['Newest checkouts', 'Последние оплаты'],
  results: ['Found', 'Найдено'],
  nothing: ['No checkout matches.', 'Ничего не найдено.'],
  more: ['Show more', 'Показать ещё'],
  loading: ['Loading …', 'Загрузка…'],
  refresh: ['Refresh', 'Обновить'],
  order: ['Order', 'Заказ'],
  reference: ['Reference', 'Номер'],
  checkout: ['Checkout', 'Оплата'],
  created: ['Created', 'Создана'],
  open: ['Open', 'Открыта'],
  pending: ['Waiting for payment', 'Ждёт оплаты'],
  paid: ['Paid', 'Оплачена'],
  failed: ['Failed', 'Не прошла'],
  expired: ['Expired', 'Истекла'],
  closed: ['Closed', 'Закрыта'],
  byPayer: ['The payer types the amount', 'Сумму вводит плательщик'],
  invoices: ['Invoices', 'Счета'],
  attempt: ['External id', 'Внешний номер'],
  method: ['Method', 'Способ'],
  serviceSays: ['The service says', 'Сервис сообщает'],
  deadline: ['Deadline', 'Срок'],
  lastCheck: ['Last fetch', 'Последний запрос'],
  nextCheck: ['Next fetch', 'Следующий запрос'],
  needsDecision: ['A person has to decide about this payment.', 'Об этом платеже должен решить человек.'],
  outcomes: ['Outcomes for the shop', 'Исходы для магазина'],
  noneYet: ['None yet.', 'Пока нет.'],
  delivered: ['delivered', 'доставлен'],
  nextTry: ['not received, next try', 'не доставлен, следующая попытка'],
  abandoned: ['given up', 'доставка прекращена'],
  tries: ['Tries', 'Попыток'],
  lastTry: ['Last try', 'Последняя попытка'],
  ECONNREFUSED: ['the shop’s server does not run (ECONNREFUSED)', 'сервер магазина не запущен (ECONNREFUSED)'],
  answered_with_html: [
    'the shop answered with a page (HTML): is OUTCOME_URL the receiver, or a login page?',
    'магазин ответил страницей (HTML): OUTCOME_URL ведёт на получателя или на страницу входа?',
  ],
  history: ['History', 'История'],
  asked: ['Invoice requested', 'Запрошен счёт'],
  told: ['Outcome', 'Исход'],
  delivery: ['Delivery', 'Доставка'],
  person: ['Operator', 'Оператор'],
  decided: ['Decided', 'Решение'],
  check: ['Check at the service', 'Проверить у сервиса'],
  close: ['Close', 'Закрыть'],
  reopen: ['Open again', 'Открыть снова'],
  resolve: ['Decide', 'Решить'],
  redeliver: ['Deliver again', 'Доставить снова'],
  cancel: ['Cancel', 'Отмена'],
  checkQuestion: ['Fetch the invoices at the service now?', 'Запросить счета у сервиса сейчас?'],
  closeQuestion: [
    'Close this checkout? The payer can request no more invoices. A payment of an invoice that exists is still told.',
    'Закрыть оплату? Плательщик не сможет запросить новый счёт. Об оплате уже выданного счёта магазин узнает.',
  ],
  reopenQuestion: [
    'Open this checkout again? The payer can request an invoice.',
    'Открыть оплату снова? Плательщик сможет запросить счёт.',
  ],
  redeliverQuestion: ['Deliver again? The shop may have it already.', 'Доставить снова? Магазин мог его уже получить.'],
  redeliverAllQuestion: ['Deliver all that the shop has not received?', 'Доставить всё, чего магазин не получил?'],
  resolveQuestion: ['The shop is told; the payer’s page follows.', 'Магазин узнает, страница плательщика изменится.'],
  asPaid: ['The order is paid by it', 'Заказ им оплачен'],
  asVoid: ['It pays no order', 'Заказ им не оплачен'],
  note: ['Why, and who has decided so', 'Почему и кто так решил'],
} as const;

type TextName = keyof typeof texts;
const isTextName = (name: string): name is TextName => Object.hasOwn(texts, name);
const isDecimal = (text: string): text is `${number}` => /^\d+(?:\.\d+)?$/.test(text);

export type Translator = ReturnType<typeof createTranslator>;

/** Texts, times (RFC 3339) and amounts in one language, and in the time zone of the operator. */
export function createTranslator(language: 'en-GB' | 'ru') {
  const text = (name: TextName): string => texts[name][language === 'ru' ? 1 : 0];
  return {
    language,
    text,
    /** The text of a status or of an error's code, where there is one. */
    textOr: (name: string, otherwise = name): string => (isTextName(name) ? text(name) : otherwise),
    time: (time: string | null): string =>
      time === null ? '–' : new Date(time).toLocaleString(language, { dateStyle: 'short', timeStyle: 'medium' }),
    /** @param amount - a decimal string, or null when the payer types it */
    money: (amount: string | null, currency: string | null): string => {
      if (amount === null || !isDecimal(amount)) return amount ?? text('byPayer');
      const style =
        currency === null ? {} : ({ style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const);
      return new Intl.NumberFormat(language, { minimumFractionDigits: 2, ...style }).format(amount);
    },
  };
}
