import type { Equivalent } from './equivalent.ts';

const inAttempts = { module: 'src/server/domain/attempts.ts' };
const inMemory = { module: 'src/server/ports/memory-store.ts' };
const inRecordAnswer = { module: 'src/server/domain/apply-create-result.ts' };
const inRecordStatus = { module: 'src/server/domain/apply-status.ts' };

export const ofStore: readonly Equivalent[] = [
  {
    ...inAttempts,
    line: "attempt.refusal !== null || attempt.stage === 'rejected'",
    was: "attempt.stage === 'rejected'",
    became: 'false',
    why: 'Whatever refuses an attempt says why; the stage stands there for the reader.',
  },
  {
    ...inAttempts,
    line: "attempt.refusal !== null || attempt.stage === 'rejected'",
    was: "'rejected'",
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
    module: 'src/server/domain/derive-status.ts',
    line: "current.stage === 'created' ? current.outcome",
    was: "current.stage === 'created'",
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
    line: 'run_at !== null && run_at > at',
    was: 'run_at !== null',
    became: 'true',
    why: 'To compare with null is to compare with 1970, which is later than nothing; the check is for the compiler.',
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
