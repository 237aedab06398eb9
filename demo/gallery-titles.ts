import { states, type StateName } from './gallery-states.ts';
import type { Language } from './page-texts.ts';

const russian: Readonly<Record<StateName, string>> = {
  loading: 'Загрузка',
  unreachable: 'Нет связи',
  lost: 'Не найден',
  options: 'Выбор способа',
  test: 'Выбор способа, ТЕСТ',
  order: 'Заказ рядом с экраном',
  'one-method': 'Один способ',
  'no-options': 'Способов нет',
  amount: 'Сумма введена',
  'amount-empty': 'Сумма не введена',
  'amount-wrong': 'Сумма вне пределов',
  refused: 'Отказано',
  mismatch: 'Пришла другая сумма',
  creating: 'Создаётся счёт',
  unknown: 'Результат неизвестен',
  'no-answer': 'Минуту нет ответа',
  sbp: 'СБП',
  'sbp-page': 'СБП и страница оплаты',
  phone: 'Оплата на телефоне',
  card: 'Карта',
  transfer: 'Банковский перевод',
  qr: 'QR-код',
  'unknown-type': 'Неизвестный тип способа',
  'qr-card': 'QR-код и карта',
  'qr-transfer': 'QR-код и перевод',
  'qr-sbp': 'QR и реквизиты, ТЕСТ',
  stuck: 'Банк не открылся',
  'in-app': 'Встроенный браузер',
  'qr-picture': 'QR-код картинкой',
  copied: 'Скопировано',
  'copy-refused': 'Не скопировано',
  everything: 'Все виды реквизитов',
  'no-bank': 'Карта без банка',
  page: 'Только страница оплаты',
  days: 'Осталось два дня',
  leaving: 'Возврат к способам',
  long: 'Долгое ожидание',
  stale: 'Сервис не отвечает',
  offline: 'Связь пропала',
  checking: 'Проверка в конце срока',
  'not-received': 'Проверено, оплаты нет',
  'checking-confirm': 'Ещё счёт в конце срока',
  'amount-check': 'Оплачена другая сумма',
  paid: 'Оплачено',
  returning: 'Возврат через минуту',
  failed: 'Не прошло',
  expired: 'Срок истёк',
  'expired-confirm': 'Оплатить заново?',
  late: 'Оплачено поздно',
  closed: 'Закрыто магазином',
  'closed-refused': 'Закрыто во время выбора',
  'hostile-options': 'Враждебные названия',
  'hostile-requisites': 'Враждебные реквизиты',
};

/** The title of a state in a language of the demo. */
export function stateTitle(name: string, language: Language): string {
  return language === 'ru' && isStateName(name) ? russian[name] : (states[name]?.title ?? name);
}

function isStateName(name: string): name is StateName {
  return name in russian;
}
