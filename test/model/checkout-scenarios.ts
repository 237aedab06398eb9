// The scenarios of the checkout model: what may happen in each, and how many steps `npm test` and `npm run check:model` explore.
import type { Bounds } from './checkout-model-state.ts';

export interface Scenario {
  readonly name: string;
  readonly bounds: Bounds;
  /** Steps explored by `npm test`, and by `npm run check:model`. */
  readonly depth: number;
  readonly deepDepth: number;
}

const nothing: Bounds = {
  repeatedCreate: 'same invoice',
  waiting: 0,
  requests: 0,
  calls: 0,
  fetches: 0,
  clockSteps: 0,
  crashes: 0,
  dayPasses: false,
  paidElsewhere: false,
  closes: false,
};

export const scenarios: readonly Scenario[] = [
  {
    name: 'two requests, two processes, one crash, a service that repeats the same invoice',
    bounds: { ...nothing, requests: 2, calls: 2, crashes: 1 },
    depth: 6,
    deepDepth: 9,
  },
  {
    name: 'a create that is repeated at a service that creates a new invoice each time',
    bounds: { ...nothing, repeatedCreate: 'new invoice', requests: 1, calls: 2, crashes: 1 },
    depth: 8,
    deepDepth: 11,
  },
  {
    name: 'one waiting invoice, two fetches at once, steps of the clock',
    bounds: { ...nothing, waiting: 1, fetches: 2, clockSteps: 1 },
    depth: 6,
    deepDepth: 12,
  },
  {
    name: 'a waiting invoice and the one that it replaced',
    bounds: { ...nothing, waiting: 2, fetches: 1 },
    depth: 7,
    deepDepth: 11,
  },
  {
    name: 'a payer who requests an invoice again while the first is paid',
    bounds: { ...nothing, waiting: 1, requests: 1, calls: 1, fetches: 1 },
    depth: 7,
    deepDepth: 10,
  },
  {
    name: 'a create that stays in doubt for a day, and its payer who repeats it',
    bounds: { ...nothing, requests: 2, calls: 1, dayPasses: true },
    depth: 8,
    deepDepth: 10,
  },
  {
    name: 'two invoices of an order that another checkout has paid',
    bounds: { ...nothing, waiting: 2, fetches: 1, paidElsewhere: true },
    depth: 6,
    deepDepth: 10,
  },
  {
    name: 'a checkout that is closed or passes its end while its payer requests an invoice and pays it',
    bounds: { ...nothing, closes: true, requests: 2, calls: 1, fetches: 1 },
    depth: 5,
    deepDepth: 8,
  },
  {
    name: 'a checkout that is closed or passes its end while an invoice waits',
    bounds: { ...nothing, closes: true, waiting: 1, requests: 1, calls: 1, fetches: 1 },
    depth: 5,
    deepDepth: 8,
  },
  {
    name: 'everything at once',
    bounds: { ...nothing, requests: 2, calls: 2, fetches: 1, clockSteps: 1, crashes: 1 },
    depth: 5,
    deepDepth: 7,
  },
];
