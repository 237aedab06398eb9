/** English names for a demonstration in English. An invoice service has one name for each bank and each method. */
export const englishNames: ReadonlyMap<unknown, string> = new Map([
  ['Сбербанк', 'Sberbank'],
  ['Т-Банк', 'T-Bank'],
  ['Альфа-Банк', 'Alfa-Bank'],
  ['ВТБ', 'VTB'],
  ['Газпромбанк', 'Gazprombank'],
  ['Совкомбанк', 'Sovcombank'],
  ['СБП', 'SBP'],
  ['Карта', 'Card'],
  ['Перевод по реквизитам', 'Bank transfer'],
  ['Карта иностранного банка', 'Card of a foreign bank'],
  ['Тестовый Получатель Т.', 'Test Recipient T.'],
  ['Песочный Получатель П.', 'Sandbox Recipient S.'],
]);

/** Returns a response of the service with English names. */
export function withEnglishNames(response: object): object {
  const renamed: unknown = JSON.parse(
    JSON.stringify(response),
    (_, value: unknown) => englishNames.get(value) ?? value,
  );
  return typeof renamed === 'object' && renamed !== null ? renamed : response;
}
