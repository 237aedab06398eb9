// The lazy chunk of what the element does without a click where the page asks for it: only pages with `auto-continue` or
// `return-after` load it.
export { AutoContinueController } from './auto-continue.ts';
export { cameBack, ReturnCountdown } from './return-countdown.ts';
