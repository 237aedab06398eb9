import { isWithin } from '../../../service-api.ts';

/** A bank of the sandbox. The name is real; the BIK belongs to nobody. */
export interface Bank {
  /** UUID v4 (invoice-service.md §2.1). */
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly bik: string;
}

interface Limits {
  readonly min_amount: string;
  readonly max_amount: string;
}

/** A bank inside a payment option (invoice-service.md §2.4). */
interface BankOption {
  readonly code: BankCode;
  readonly name: string;
  readonly available: boolean;
  readonly limits: Limits;
}

/** A payment option (invoice-service.md §2.3). The specification allows types that it does not list, such as BANK_TRANSFER. */
export interface PaymentOption {
  readonly id: string;
  readonly code: string;
  readonly type: 'SBP' | 'CARD' | 'BANK_TRANSFER';
  readonly name: string;
  readonly available: boolean;
  readonly limits: Limits;
  readonly banks: readonly BankOption[];
}

const banks = {
  sberbank: { id: '6f1c2a0e-9b5d-4c37-8a41-0d2e7c5b9f01', name: 'Сбербанк', bik: '049999901' },
  tbank: { id: '2b7d4e19-3c86-4f0a-9e52-1a6f8d3c7b02', name: 'Т-Банк', bik: '049999902' },
  alfabank: { id: 'c94a8f37-51e2-4d6b-b763-2e8b1f4a5c03', name: 'Альфа-Банк', bik: '049999903' },
  vtb: { id: '81d05b6c-e72f-4a19-8c74-3f9a6e2d1b04', name: 'ВТБ', bik: '049999904' },
  gazprombank: { id: '4ea3917d-0f6b-4582-a985-50b7c3e8d205', name: 'Газпромбанк', bik: '049999905' },
  sovcombank: { id: 'f7b26c80-a4d9-4e13-9b96-61c8d4f9e306', name: 'Совкомбанк', bik: '049999906' },
} as const;

type BankCode = keyof typeof banks;

function createLimits(min_amount: string, max_amount: string): Limits {
  return { min_amount, max_amount };
}

function createBankOption(code: BankCode, min: string, max: string, available = true): BankOption {
  return { code, name: banks[code].name, available, limits: createLimits(min, max) };
}

/** All payment options. Each available method has an available bank that accepts every amount within the method's limits. */
export const paymentOptions: readonly PaymentOption[] = [
  {
    id: 'pm_sbp',
    code: 'sbp',
    type: 'SBP',
    name: 'СБП',
    available: true,
    limits: createLimits('10.00', '1000000.00'),
    banks: [
      createBankOption('sberbank', '10.00', '1000000.00'),
      createBankOption('tbank', '10.00', '600000.00'),
      createBankOption('alfabank', '50.00', '150000.00'),
      createBankOption('vtb', '10.00', '1000000.00', false),
      createBankOption('gazprombank', '100.00', '300000.00'),
    ],
  },
  {
    id: 'pm_card',
    code: 'card',
    type: 'CARD',
    name: 'Карта',
    available: true,
    limits: createLimits('100.00', '300000.00'),
    banks: [
      createBankOption('tbank', '100.00', '300000.00'),
      createBankOption('sberbank', '100.00', '150000.00'),
      createBankOption('vtb', '500.00', '300000.00'),
      createBankOption('sovcombank', '100.00', '75000.00', false),
    ],
  },
  {
    id: 'pm_bank_transfer',
    code: 'bank_transfer',
    type: 'BANK_TRANSFER',
    name: 'Перевод по реквизитам',
    available: true,
    limits: createLimits('500.00', '5000000.00'),
    banks: [
      createBankOption('alfabank', '500.00', '5000000.00'),
      createBankOption('gazprombank', '1000.00', '3000000.00'),
    ],
  },
  {
    id: 'pm_foreign_card',
    code: 'foreign_card',
    type: 'CARD',
    name: 'Карта иностранного банка',
    available: false,
    limits: createLimits('1000.00', '50000.00'),
    banks: [createBankOption('gazprombank', '1000.00', '50000.00', false)],
  },
];

/** Returns the items whose inclusive limits allow the amount. */
function filterByAmount<T extends { readonly limits: Limits }>(amount: string, items: readonly T[]): readonly T[] {
  return items.filter(({ limits }) => isWithin(amount, limits));
}

/** Returns the methods, and their banks, whose limits allow the amount (§4.2, §8); all of them without an amount. */
export function optionsFor(amount: string | undefined): readonly PaymentOption[] {
  if (amount === undefined) return paymentOptions;
  return filterByAmount(amount, paymentOptions).map((option) => ({
    ...option,
    banks: filterByAmount(amount, option.banks),
  }));
}

/** Returns the payment option with the identifier. */
export function findOption(id: string): PaymentOption | undefined {
  return paymentOptions.find((option) => option.id === id);
}

/** Returns the available banks of a method whose limits allow the amount. */
export function banksFor(option: PaymentOption, amount: string): readonly Bank[] {
  return filterByAmount(amount, option.banks)
    .filter(({ available }) => available)
    .map(({ code }) => ({ code, ...banks[code] }));
}
