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

/** The exact sum of `price × quantity`, in roubles with kopecks. Only for show: the server computes the order's. */
export function sumOfPrices(rows: readonly { readonly price: string; readonly quantity: number }[]): string {
  const kopecks = rows.reduce((sum, { price, quantity }) => sum + toKopecks(price) * BigInt(quantity), 0n);
  const digits = String(kopecks).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function toKopecks(price: string): bigint {
  const [roubles = '0', fraction = ''] = price.split('.');
  return BigInt(roubles + fraction.padEnd(2, '0').slice(0, 2));
}
