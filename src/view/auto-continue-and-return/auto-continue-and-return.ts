// A lazily loaded file with what the element does without a click. Only pages with `auto-continue` or `return-after` load it.
export { AutoContinueController } from './auto-continue-to-invoice.ts';
export { cameBack, ReturnCountdown } from './return-countdown.ts';
