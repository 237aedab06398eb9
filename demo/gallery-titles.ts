import type { StateName } from './gallery-states.ts';
import type { Language } from './page-texts.ts';

/** The titles of the states in English and in Russian. */
const titles: Readonly<Record<string, readonly [string, string]>> = {
  loading: ['Loading', 'Загрузка'],
  unreachable: ['Unreachable', 'Нет связи'],
  lost: ['Lost', 'Не найден'],
  options: ['Options', 'Выбор способа'],
  test: ['Options, TEST', 'Выбор способа, ТЕСТ'],
  order: ['The order beside the screen', 'Заказ рядом с экраном'],
  'one-method': ['One method', 'Один способ'],
  'no-options': ['No options', 'Способов нет'],
  amount: ['Amount typed', 'Сумма введена'],
  'amount-empty': ['Amount to be typed', 'Сумма не введена'],
  'amount-wrong': ['Amount out of limits', 'Сумма вне пределов'],
  refused: ['Refused', 'Отказано'],
  mismatch: ['Another amount came', 'Пришла другая сумма'],
  creating: ['Creating', 'Создаётся счёт'],
  unknown: ['Not known yet', 'Результат неизвестен'],
  'no-answer': ['No answer for a minute', 'Минуту нет ответа'],
  sbp: ['SBP', 'СБП'],
  'sbp-page': ['SBP and a page', 'СБП и страница оплаты'],
  phone: ['On to the phone', 'Оплата на телефоне'],
  card: ['Card', 'Карта'],
  transfer: ['Bank transfer', 'Банковский перевод'],
  qr: ['QR', 'QR-код'],
  'unknown-type': ['Unknown type of method', 'Неизвестный тип способа'],
  'qr-card': ['QR and card', 'QR-код и карта'],
  'qr-transfer': ['QR and bank transfer', 'QR-код и перевод'],
  'qr-sbp': ['QR and requisites, TEST', 'QR и реквизиты, ТЕСТ'],
  stuck: ['The app did not open (phone)', 'Банк не открылся'],
  'in-app': ['In another app’s browser (phone)', 'Встроенный браузер'],
  'qr-picture': ['QR to press and hold', 'QR-код картинкой'],
  copied: ['Copied', 'Скопировано'],
  'copy-refused': ['Not copied', 'Не скопировано'],
  everything: ['All kinds of requisites', 'Все виды реквизитов'],
  'no-bank': ['Card without a bank', 'Карта без банка'],
  page: ['Payment page only', 'Только страница оплаты'],
  days: ['Two days left', 'Осталось два дня'],
  leaving: ['Going back', 'Возврат к способам'],
  long: ['Waiting long', 'Долгое ожидание'],
  stale: ['Stale', 'Сервис не отвечает'],
  offline: ['Offline while waiting', 'Связь пропала'],
  checking: ['Checking at zero', 'Проверка в конце срока'],
  'not-received': ['Checked, not received yet', 'Проверено, оплаты нет'],
  'checking-confirm': ['Another invoice at zero', 'Ещё счёт в конце срока'],
  'amount-check': ['Another amount was paid', 'Оплачена другая сумма'],
  paid: ['Paid', 'Оплачено'],
  returning: ['Paid, back in a minute', 'Возврат через минуту'],
  late: ['Paid late', 'Оплачено поздно'],
  failed: ['Failed', 'Не прошло'],
  expired: ['Expired', 'Срок истёк'],
  'expired-confirm': ['Another invoice', 'Оплатить заново?'],
  closed: ['Closed by the shop', 'Закрыто магазином'],
  'closed-refused': ['Closed while choosing', 'Закрыто во время выбора'],
  'hostile-options': ['Hostile names', 'Враждебные названия'],
  'hostile-requisites': ['Hostile requisites', 'Враждебные реквизиты'],
} satisfies Readonly<Record<StateName, readonly [string, string]>>;

/** The groups of the states, each by its first state, in the order of a payment. */
const groups: Readonly<Record<string, readonly [string, string]>> = {
  loading: ['Choosing', 'Выбор'],
  amount: ['Filling in the amount', 'Ввод суммы'],
  refused: ['Asking for an invoice', 'Запрос счёта'],
  sbp: ['Waiting for the money', 'Ожидание денег'],
  long: ['Trouble on the way', 'Неполадки'],
  paid: ['Paid', 'Оплачено'],
  failed: ['Not paid', 'Не оплачено'],
  'hostile-options': ['Hostile data', 'Враждебные данные'],
} satisfies Readonly<Partial<Record<StateName, readonly [string, string]>>>;

/** The title of the group that begins with a state; undefined where none does. */
export const groupTitle = (name: string, language: Language): string | undefined =>
  groups[name]?.[language === 'ru' ? 1 : 0];

/** The title of a state in a language of the demo. */
export const stateTitle = (name: string, language: Language): string =>
  titles[name]?.[language === 'ru' ? 1 : 0] ?? name;
