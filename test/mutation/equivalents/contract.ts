import type { Equivalent } from './equivalent.ts';

const inDecimal = { module: 'src/base/decimal.ts' };
const inTimestamp = { module: 'src/contract/timestamp.ts' };

export const ofContract: readonly Equivalent[] = [
  {
    ...inDecimal,
    line: 'if (scale <= fractionDigits)',
    was: 'scale <= fractionDigits',
    became: 'scale < fractionDigits',
    why: 'At equal scales the other branch divides by one.',
  },
  {
    ...inDecimal,
    line: 'padStart(scale + 1',
    was: 'total < 0n',
    became: 'total <= 0n',
    why: 'An integer has one zero: 0n and -0n are the same.',
  },
  {
    module: 'src/contract/duration.ts',
    line: 'nanos > 0n',
    was: 'ms < 0',
    became: 'ms <= 0',
    why: 'For 0 ms there are no nanoseconds, and no sign either way.',
  },
  {
    ...inTimestamp,
    line: "offsetHour = '0'",
    was: "'0'",
    became: '""',
    why: 'The number of an empty text is 0, too.',
  },
  {
    ...inTimestamp,
    line: "(sign === '-' ? -1 : 1)",
    was: '(Number(offsetHour) * 60 + Number(offsetMinute)) *',
    became: "(Number(offsetHour) * 60 + Number(offsetMinute)) / (sign === '-' ? -1 : 1)",
    why: 'To divide by 1 or -1 is to multiply by it.',
  },
  {
    module: 'src/contract/wire-error.ts',
    line: "typeof value === 'object' && value !== null",
    was: "typeof value === 'object'",
    why: 'Of null, a number or a text nothing is spread that is called code or message; the check is for the compiler.',
  },
  {
    module: 'src/contract/wire-error.ts',
    line: "typeof value === 'object' && value !== null",
    was: 'value !== null',
    why: 'Nothing is spread of null; the check is for the compiler.',
  },
];
