import type { CheckoutStatus } from '../checkout-api.ts';

/** Each text in English and in Russian. */
const texts = {
  title: ['Checkouts', 'Оплаты'],
  token: ['Admin token', 'Токен администратора'],
  tokenHint: [
    'The server’s ADMIN_TOKEN. It is kept for this tab only.',
    'ADMIN_TOKEN сервера. Хранится только в этой вкладке.',
  ],
  signIn: ['Sign in', 'Войти'],
  signOut: ['Sign out', 'Выйти'],
  language: ['Русский', 'English'],
  unauthorized: ['This token is not right.', 'Токен неверный.'],
  rate_limited: ['Too many wrong tokens. Wait a minute.', 'Слишком много неверных токенов. Подождите минуту.'],
  network: [
    'The server did not answer. Check the connection and try again.',
    'Сервер не ответил. Проверьте соединение и повторите.',
  ],
  failed: ['That did not work', 'Не получилось'],
  search: ['Order, reference, co_…, inv_… or att_…', 'Заказ, номер, co_…, inv_… или att_…'],
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
  back: ['All checkouts', 'Все оплаты'],
  refresh: ['Refresh', 'Обновить'],
  notFound: ['There is no such checkout.', 'Такой оплаты нет.'],
  order: ['Order', 'Заказ'],
  reference: ['Reference', 'Номер'],
  checkout: ['Checkout', 'Оплата'],
  created: ['Created', 'Создана'],
  paid: ['Paid', 'Оплачена'],
  closed: ['Closed', 'Закрыта'],
  byPayer: ['The payer types the amount', 'Сумму вводит плательщик'],
  invoices: ['Invoices', 'Счета'],
  noInvoices: ['The payer has not asked for an invoice yet.', 'Плательщик ещё не запросил счёт.'],
  invoice: ['Invoice', 'Счёт'],
  attempt: ['External id', 'Внешний номер'],
  method: ['Method', 'Способ'],
  serviceSays: ['The service says', 'Сервис сообщает'],
  deadline: ['Deadline', 'Срок'],
  lastCheck: ['Last fetch', 'Последний запрос'],
  nextCheck: ['Next fetch', 'Следующий запрос'],
  never: ['never', 'не было'],
  onlyNow: ['none planned', 'не запланирован'],
  needsDecision: [
    'A person has to decide: the server cannot judge this payment.',
    'Решать должен человек: сервер не может судить об этом платеже.',
  ],
  outcomes: ['Outcomes for the shop', 'Исходы для магазина'],
  noOutcomes: ['Nothing to tell yet.', 'Сообщать пока нечего.'],
  delivered: ['delivered', 'доставлен'],
  nextTry: ['next try', 'следующая попытка'],
  abandoned: ['given up', 'доставка прекращена'],
  tries: ['Deliveries', 'Доставки'],
  history: ['History', 'История'],
  asked: ['Invoice requested', 'Запрошен счёт'],
  told: ['Outcome', 'Исход'],
  delivery: ['Delivery', 'Доставка'],
  person: ['Operator', 'Оператор'],
  decided: ['Decided', 'Решение'],
  check: ['Check at the service', 'Проверить у сервиса'],
  close: ['Close', 'Закрыть'],
  resolve: ['Decide', 'Решить'],
  redeliver: ['Deliver again', 'Доставить снова'],
  cancel: ['Cancel', 'Отмена'],
  confirmCheck: [
    'Fetch the invoices of this checkout at the service now?',
    'Запросить счета этой оплаты у сервиса сейчас?',
  ],
  confirmClose: [
    'Close this checkout? The payer can request no more invoices. A payment of an invoice that exists is still told.',
    'Закрыть оплату? Плательщик не сможет запросить новый счёт. Об оплате уже выданного счёта магазин узнает.',
  ],
  confirmRedeliver: [
    'Deliver this outcome to the shop once more? It may have acted on it already.',
    'Доставить этот исход магазину ещё раз? Возможно, он уже выполнен.',
  ],
  confirmRedeliverAll: [
    'Deliver every outcome of these checkouts that the shop has not received?',
    'Доставить все исходы этих оплат, которых магазин не получил?',
  ],
  confirmResolve: [
    'Decide about the payment. The shop is told, and the payer’s open page follows.',
    'Примите решение о платеже. Магазин узнает о нём, и открытая страница плательщика изменится.',
  ],
  asPaid: ['The order is paid by it', 'Заказ им оплачен'],
  asVoid: ['It pays no order', 'Заказ им не оплачен'],
  note: ['Why, and who has decided so', 'Почему и кто так решил'],
} as const;

/** The statuses of a checkout. */
const statusTexts: Readonly<Record<CheckoutStatus, readonly [english: string, russian: string]>> = {
  open: ['open', 'открыта'],
  pending: ['waiting for payment', 'ждёт оплаты'],
  paid: ['paid', 'оплачена'],
  failed: ['failed', 'не прошла'],
  expired: ['expired', 'истекла'],
  closed: ['closed', 'закрыта'],
};

export const checkoutStatuses = Object.keys(statusTexts);
const isCheckoutStatus = (text: string): text is CheckoutStatus => checkoutStatuses.includes(text);

export type TextName = keyof typeof texts;
const isDecimal = (text: string): text is `${number}` => /^\d+(?:\.\d+)?$/.test(text);

export type Language = 'en' | 'ru';

/** Texts, times and amounts in one language, and in the time zone of the operator. */
export class Translator {
  readonly language: Language;
  readonly #times: Intl.DateTimeFormat;

  constructor(language: Language) {
    this.language = language;
    this.#times = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
      dateStyle: 'short',
      timeStyle: 'medium',
    });
  }

  readonly text = (name: TextName): string => texts[name][this.language === 'en' ? 0 : 1];

  /** The text of a status of a checkout or an invoice; the status itself where there is none. */
  status(status: string): string {
    return isCheckoutStatus(status) ? statusTexts[status][this.language === 'en' ? 0 : 1] : status;
  }

  /** @param time - RFC 3339, or null for the text `missing` */
  time(time: string | null, missing = '–'): string {
    return time === null ? missing : this.#times.format(new Date(time));
  }

  /** @param amount - a decimal string, or null when the payer types it */
  money(amount: string | null, currency: string | null): string {
    if (amount === null || !isDecimal(amount)) return amount ?? this.text('byPayer');
    const style =
      currency === null ? {} : { style: 'currency' as const, currency, currencyDisplay: 'narrowSymbol' as const };
    return new Intl.NumberFormat(this.language, { minimumFractionDigits: 2, ...style }).format(amount);
  }
}
