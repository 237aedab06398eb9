import { isUsable, type ChoosingState } from '../../core.ts';
import type { PaymentOption } from '../../checkout-api.ts';
import type { FirstFileTranslator } from '../../i18n.ts';
import type { NamedMethod, FirstFileHandlers } from './screen-props.ts';

// What the methods are called, and why one cannot be used: the pay page without script says the same.

const cyrillic = /[\u0400-\u04ff]/;

/** Whether a text of the shop or of the service is Russian on a screen in a language with other letters. */
export const isForeign = (text: string, { m }: Pick<FirstFileTranslator, 'm'>): boolean =>
  cyrillic.test(text) && !cyrillic.test(m('widget.name'));

/** The types that have a name in the payer's language. */
const namedTypes = ['sbp', 'card', 'bank-transfer'] as const;

/**
 * The displayed name of a method: the merchant's, else the service's. A known type has a name in the payer's language, which is
 * used where the service gives no name, only repeats the type ("SBP", "СБП"), or gives the `only` method of the type a
 * Russian name on a screen in a language with other letters. Where there are several it stands before that name: "Card (Карта)".
 */
export function methodName(
  method: NamedMethod,
  on: Pick<FirstFileHandlers, 'methodName'>,
  t: Pick<FirstFileTranslator, 'm'>,
  only = true,
): string {
  const { name, code, type } = method;
  const lowerType = type.toLowerCase();
  const named = namedTypes.find((one) => one === lowerType.replace('_', '-'));
  const own = named ? t.m(`method.${named}`) : code;
  const isRussian = isForeign(name ?? '', t);
  const isGenericName = name?.toLowerCase() === lowerType || name === 'СБП' || (only && isRussian);
  const shown = isGenericName && named ? own : isRussian && own ? `${own} (${name})` : name;
  return on.methodName(method) ?? shown ?? own ?? t.m('options.title');
}

/** The text of the button that asks for an invoice: what follows for a method of this type. A page's own text stands for all. */
export function continueText(type: string, { m, catalogues: [own] }: FirstFileTranslator): string {
  const anyMethod = 'options.continue';
  return m(
    own?.[anyMethod]
      ? anyMethod
      : /sbp/i.test(type)
        ? 'options.pay-by-sbp'
        : /card|bank/i.test(type)
          ? 'options.transfer'
          : anyMethod,
  );
}

/** The names of the banks that take the amount: at most five, or four and the number of the others, such as "+3". */
export function banksFor(option: PaymentOption, amount: string | undefined): readonly string[] {
  const names = option.banks
    .filter((bank) => isUsable({ ...option, ...bank, banks: [] }, amount))
    .map(({ name, code }) => (name ?? code).slice(0, 60));
  return names[5] ? [...names.slice(0, 4), `+${names.length - 4}`] : names;
}

/** Why a method cannot be used for the amount. */
export function unusableReason(
  option: PaymentOption,
  { amount, checkout }: Pick<ChoosingState, 'amount' | 'checkout'>,
  t: FirstFileTranslator,
): string {
  const { min_amount, max_amount } = option.limits;
  if (!isUsable(option, undefined)) return t.m('method.unavailable');
  return min_amount && !isUsable({ ...option, limits: { min_amount } }, amount)
    ? t.m('method.min', { min: t.brief(min_amount, checkout.currency) })
    : t.m('method.max', { max: t.brief(max_amount ?? '', checkout.currency) });
}
