import type { Equivalent } from './equivalent.ts';

const inRetry = { module: 'src/server/invoice-client/retry.ts' };
const inRetryAfter = { module: 'src/server/invoice-client/retry-after.ts' };
const inDecisions = { module: 'src/server/invoice-client/retry-policy.ts' };

export const ofRetry: readonly Equivalent[] = [
  {
    ...inRetry,
    line: "failure.kind === 'answer' ? (failure.retryAfterMs",
    was: "failure.kind === 'answer'",
    became: 'true',
    why: 'No other failure has a Retry-After; the check is for the compiler.',
  },
  {
    ...inRetry,
    line: "last.kind === 'answer' ? last.retryAfterMs",
    was: "last.kind === 'answer'",
    became: 'true',
    why: 'No other failure has a Retry-After; the check is for the compiler.',
  },
  {
    ...inRetry,
    line: '} catch {',
    was: '{',
    became: '{}',
    why: 'Nothing is returned then, which is as good as false.',
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
    module: 'src/server/invoice-client/retry-budget.ts',
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
