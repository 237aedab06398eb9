/** Changes of a module that no test has to notice, because nobody could: what they change, and why nothing follows. */
export interface Equivalent {
  readonly module: string;
  /** A part of the changed line. */
  readonly line: string;
  /** What is changed there, or its beginning. */
  readonly was: string;
  /** What is put there instead; any change where it is left out. */
  readonly became?: string;
  readonly why: string;
}

const inRetryAfter = { module: 'src/server/retry-after.ts' };
const inDecisions = { module: 'src/server/retry-decision.ts' };
const inDecimal = { module: 'src/contract/decimal.ts' };
const inTimestamp = { module: 'src/contract/timestamp.ts' };

export const equivalents: readonly Equivalent[] = [
  {
    ...inDecimal,
    line: "const [whole = '', fraction = '']",
    was: "''",
    why: 'A text that is split has a first part; the default is for the compiler.',
  },
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
  {
    ...inRetryAfter,
    line: "month = ''",
    was: "''",
    why: 'The grammar has a month in each match; the default is for the compiler.',
  },
  {
    ...inRetryAfter,
    line: "headers.get('retry-after')?.trim()",
    was: "headers.get('retry-after')?.trim()",
    became: "headers.get('retry-after')",
    why: 'Headers trim their values themselves; what is not the platform’s own may not.',
  },
  {
    ...inRetryAfter,
    line: 'if (value === undefined) return undefined',
    was: 'value === undefined',
    became: 'false',
    why: 'The text “undefined” is neither seconds nor a date, and ends as undefined, too; the check is for the compiler.',
  },
  {
    ...inRetryAfter,
    line: "headers.get('date') ?? ''",
    was: "''",
    why: 'Any text that is no date says the same.',
  },
  {
    module: 'src/server/retry-budget.ts',
    line: 'balance < 1 - 1e-9',
    was: 'balance < 1 - 1e-9',
    became: 'balance <= 1 - 1e-9',
    why: 'The billionth is there for the error of floating point; no balance is meant to be exactly that.',
  },
  {
    ...inDecisions,
    line: "codes: ['aborted'], create: inDoubt, read: notDoneYet",
    was: '',
    why: 'The last row says the same of this answer; the row stays as documentation of the specification.',
  },
  {
    ...inDecisions,
    line: 'http: [413, 413]',
    was: "'none'",
    why: 'A row below refuses it as well.',
  },
  {
    ...inDecisions,
    line: 'http: [499, 499]',
    was: '[499, 499]',
    why: 'The last row says the same of this answer; the row stays as documentation of the specification.',
  },
  {
    ...inDecisions,
    line: 'http: [0, 999]',
    was: '[0, 999]',
    why: 'No row is the same verdict: the default of the search is equal to the last row.',
  },
  {
    ...inDecisions,
    line: '?? { create: inDoubt, read: notDoneYet }',
    was: '{ create: inDoubt, read: notDoneYet }',
    why: 'The last row fits every answer; the default is for the compiler.',
  },
];

/** Why a change needs no test, or undefined where it does. */
export function explanationOf(module: string, line: string, was: string, became: string): string | undefined {
  return equivalents.find(
    (known) =>
      known.module === module &&
      line.includes(known.line) &&
      was.startsWith(known.was) &&
      (known.became === undefined || known.became === became),
  )?.why;
}
