import { isWithin, type PaymentOption as ServiceOption } from '../../service-api.ts';
import type { PaymentOption } from '../../checkout-api.ts';

// Maps the service's payment options to those that the payer sees.

/** The payment options for the payer. With an amount, only the options whose limits allow the amount. */
export function optionsFor(options: readonly ServiceOption[], amount: string | undefined): readonly PaymentOption[] {
  const fits = fitsAmount(amount);
  return options.filter(fits).map((option) => presentOption({ ...option, banks: option.banks.filter(fits) }));
}

/**
 * The payment options for an amount that the payer has typed. What the amount excludes stays listed with its limits, and is not
 * available: the payer reads which amounts it takes.
 * @param all The options for all amounts.
 * @param filtered The options that the service returned for the amount.
 */
export function optionsForTypedAmount(
  all: readonly ServiceOption[],
  filtered: readonly ServiceOption[],
  amount: string,
): readonly PaymentOption[] {
  const fits = fitsAmount(amount);
  const added = filtered.filter(({ id }) => all.every((option) => option.id !== id));
  return [...all, ...added].map((listed) => {
    const option = filtered.find(({ id }) => id === listed.id);
    const banks = [...(option?.banks ?? [])];
    for (const bank of listed.banks)
      if (banks.every(({ code }) => code !== bank.code)) banks.push({ ...bank, available: false });
    return presentOption({
      ...(option ?? listed),
      available: option !== undefined && option.available && fits(option),
      banks: banks.map((bank) => ({ ...bank, available: bank.available && fits(bank) })),
    });
  });
}

const fitsAmount =
  (amount: string | undefined) =>
  ({ limits }: Pick<ServiceOption, 'limits'>): boolean =>
    amount === undefined || isWithin(amount, limits);

function presentOption({ id, code, type, name, available, limits, banks }: ServiceOption): PaymentOption {
  const shownBanks = banks.map((bank) => ({
    code: bank.code,
    name: bank.name,
    available: bank.available,
    limits: bank.limits,
  }));
  return { id, code, type, name, available, limits, banks: shownBanks };
}
