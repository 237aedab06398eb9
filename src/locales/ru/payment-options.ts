import type { OptionsMessages } from '../../i18n/messages-type.ts';

/** The Russian texts of the screens before an invoice is requested. They are in the widget's first file. */
export const ruOptions: OptionsMessages = {
  region: 'Оплата',
  due: 'К оплате',
  sum: 'Сумма',
  test: 'ТЕСТ · не переводите настоящие деньги',
  close: 'Закрыть',
  offline: 'Нет связи',
  offlineText: 'Проверьте интернет. Мы пробуем снова.',
  choose: 'Способ оплаты',
  sbp: 'СБП',
  toCard: 'Перевод на карту',
  toAccount: 'Банковский перевод',
  enterAmount: 'Сумма платежа',
  limits: (min, max) => [min && `от\u00a0${min}`, max && `до\u00a0${max}`].filter(Boolean).join(' '),
  malformed: 'Введите сумму, например 1500,50',
  outOfLimits: (limits) => `Доступно для сумм ${limits}`,
  unavailable: 'Сейчас недоступно',
  banks: (names, more) => `${names} и ещё ${more}`,
  noMethods: 'Для этой суммы нет способов оплаты',
  noMethodsText: 'Попробуйте позже или обратитесь в магазин.',
  proceed: 'Продолжить',
  creating: 'Готовим реквизиты',
  creatingText: 'Обычно это несколько секунд.',
  again: 'Попробовать снова',
};
