import { fractionDigitsOf } from './currency-digits.ts';

/** The smallest amount of a currency: `1` for JPY, `0.01` for RUB. */
export const smallestUnitOf = (currency: string): string => {
  const digits = fractionDigitsOf(currency);
  return (10 ** -digits).toFixed(digits);
};
