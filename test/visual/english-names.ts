/** What the gallery's shop and service say in Russian, in English: for the pictures of English documents. */
const english: Readonly<Record<string, string>> = {
  'Заказ 1001 · Фикус и керамический горшок': 'Order 1001 · A ficus and a ceramic pot',
  СБП: 'SBP',
  'Перевод на карту': 'Bank card',
  'Банковский перевод': 'Bank transfer',
  'Иностранная карта': 'Foreign card',
  Сбербанк: 'Sberbank',
  'Т-Банк': 'T-Bank',
  'Альфа-Банк': 'Alfa-Bank',
  ВТБ: 'VTB',
};

/** The same data with English names. What is no plain object or array stays as it is, such as an error. */
export function inEnglish<T>(data: T): T {
  if (typeof data === 'string') return (english[data] ?? data) as T;
  if (Array.isArray(data)) return data.map((item: unknown) => inEnglish(item)) as T;
  if (data === null || typeof data !== 'object' || Object.getPrototypeOf(data) !== Object.prototype) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, inEnglish<unknown>(value)])) as T;
}
