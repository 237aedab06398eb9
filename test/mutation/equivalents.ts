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
const inAttempts = { module: 'src/server/attempts.ts' };
const inMemory = { module: 'src/server/memory-store.ts' };
const inRecordAnswer = { module: 'src/server/record-answer.ts' };
const inRecordStatus = { module: 'src/server/record-status.ts' };
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
  {
    ...inAttempts,
    line: "attempt.refusal !== null || attempt.stage === 'refused'",
    was: "attempt.stage === 'refused'",
    became: 'false',
    why: 'Whatever refuses an attempt says why; the stage stands there for the reader.',
  },
  {
    ...inAttempts,
    line: "attempt.refusal !== null || attempt.stage === 'refused'",
    was: "'refused'",
    why: 'Whatever refuses an attempt says why; the stage stands there for the reader.',
  },
  {
    ...inAttempts,
    line: 'attempt.replaced === replaced ? attempt',
    was: 'attempt.replaced === replaced',
    became: 'false',
    why: 'A copy that is equal says the same.',
  },
  {
    module: 'src/server/judge.ts',
    line: "current.stage === 'made' ? current.outcome",
    was: "current.stage === 'made'",
    became: 'true',
    why: 'The outcome of an attempt without an invoice is pending, too.',
  },
  {
    ...inMemory,
    line: "owners.get(externalId) ?? ''",
    was: "''",
    why: 'No checkout is called so either.',
  },
  {
    ...inMemory,
    line: 'checkout === undefined || found === undefined ?',
    was: '',
    why: 'An attempt that is known is in its checkout: both are missing, or neither.',
  },
  {
    ...inMemory,
    line: 'if (found === undefined) return [];',
    was: '',
    why: 'What is in line is known; the check is for the compiler.',
  },
  {
    ...inMemory,
    line: 'checkouts.get(id)?.attempts ?? []',
    was: '[]',
    why: 'What is no attempt is not due later than anything.',
  },
  {
    ...inMemory,
    line: 'flatMap((id) => outcomes.get(id)',
    was: '[]',
    why: 'What is in line is kept; the default is for the compiler.',
  },
  {
    ...inMemory,
    line: 'flatMap((id) => outcomes.get(id)',
    was: 'outcomes.get(id)?.occurred_at',
    became: 'outcomes.get(id).occurred_at',
    why: 'What is in line is kept; the check is for the compiler.',
  },
  {
    ...inRecordAnswer,
    line: 'expires_at: invoice.expires_at === undefined',
    was: 'invoice.expires_at === undefined',
    became: 'false',
    why: 'A missing text is no time that can be read; the check is for the compiler.',
  },
  {
    ...inRecordAnswer,
    line: "'already_exists',",
    was: "'already_exists'",
    why: 'With this code it is a conflict, which is decided before; it stays in the list for the reader.',
  },
  {
    ...inRecordStatus,
    line: "word === undefined || word === ''",
    was: 'word === undefined',
    became: 'false',
    why: 'No word of a list is missing; the check is for the compiler.',
  },
  {
    ...inRecordStatus,
    line: 'checked_at !== null && askedAt < checked_at',
    was: 'checked_at !== null',
    became: 'true',
    why: 'To compare with null is to compare with 1970, before which nobody looked; the check is for the compiler.',
  },
  {
    ...inRecordStatus,
    line: 'expires_at !== null && Math.abs(told - expires_at)',
    was: 'expires_at !== null',
    became: 'true',
    why: 'To compare with null is to compare with 1970, when no invoice ended; the check is for the compiler.',
  },
  {
    ...inRecordStatus,
    line: "if (kind === 'pending') return []",
    was: '',
    why: 'What has ended is never pending again, so that pending is no change; the line is for the compiler.',
  },
  {
    ...inRecordStatus,
    line: "kind === 'paid' && isPaid ?",
    was: "kind === 'paid'",
    became: 'true',
    why: 'Of a checkout that is paid no other end comes this far.',
  },
  {
    ...inRecordStatus,
    line: "invoice_id: attempt.invoice?.id ?? ''",
    was: '',
    why: 'An attempt that was looked at has an invoice; the default is for the compiler.',
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
