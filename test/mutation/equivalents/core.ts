import type { Equivalent } from './equivalent.ts';

const inPoller = { module: 'src/core/poller.ts' };
const inVet = { module: 'src/core/validate-checkout.ts' };

export const ofCore: readonly Equivalent[] = [
  {
    module: 'src/core/reducer.ts',
    line: "state.status === 'choosing' && state.leaving",
    was: "state.status === 'choosing'",
    became: 'true',
    why: 'No other screen has an invoice that is being left; the check is for the compiler.',
  },
  {
    module: 'src/core/select-state.ts',
    line: ': { amount: undefined, fault: undefined };',
    was: '{ amount: undefined, fault: undefined }',
    became: '{}',
    why: 'What is missing is undefined, too; it is written out for the compiler.',
  },
  {
    ...inVet,
    line: "sumsOf(link ?? '')",
    was: "''",
    why: 'Any text that is no link names no sum.',
  },
  {
    ...inVet,
    line: 'sum !== undefined && orderOf(sum, amount)',
    was: 'sum !== undefined',
    became: 'true',
    why: 'What is no decimal is equal to no amount; the check is for the compiler.',
  },
  {
    module: 'src/core/poll-policy.ts',
    line: 'error?.retryAfterMs',
    was: 'error?.retryAfterMs',
    became: 'error.retryAfterMs',
    why: 'After a failure there is an error; the check is for the compiler.',
  },
  {
    ...inPoller,
    line: 'let answered = true',
    was: 'true',
    why: 'It is asked for only in the first second of the clock, by a page that came with its checkout: a wake would bring the first read forward.',
  },
  {
    ...inPoller,
    line: 'launch(pace(elapsed())?.hold ?? false)',
    was: 'pace(elapsed())?.hold',
    became: 'pace(elapsed()).hold',
    why: 'What leaves nothing to be read cancels the read that is planned; the check is for the compiler.',
  },
  {
    ...inPoller,
    line: 'launch(pace(elapsed())?.hold ?? false)',
    was: 'false',
    why: 'What leaves nothing to be read cancels the read that is planned; the default is for the compiler.',
  },
];
