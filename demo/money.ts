import { currentLanguage } from './texts.ts';

/** An amount as the page's language writes it; the decimal string goes to `Intl` as it is, so nothing is rounded. */
export function formatRoubles(amount: string): string {
  const format = new Intl.NumberFormat(currentLanguage(), {
    style: 'currency',
    currency: 'RUB',
    currencyDisplay: 'narrowSymbol',
  });
  return format.format(amount as Intl.StringNumericLiteral);
}
