// The scenarios of the widget's model: what may happen in each, and how many steps `npm test` and `npm run check:model` explore.
import type { WidgetBounds } from './widget-model-state.ts';

export interface WidgetScenario {
  readonly name: string;
  readonly bounds: WidgetBounds;
  /** Steps explored by `npm test`, and by `npm run check:model`. */
  readonly depth: number;
  readonly deepDepth: number;
}

const nothing: WidgetBounds = { reads: 1, creates: 0, stops: 0, sleeps: 0, wrongAmounts: 0, isWaiting: false };

export const widgetScenarios: readonly WidgetScenario[] = [
  {
    name: 'the first invoice: created, refused, lost, or over another amount',
    bounds: { ...nothing, creates: 1, wrongAmounts: 1 },
    depth: 11,
    deepDepth: 15,
  },
  {
    name: 'an invoice on the screen that ends and is paid late',
    bounds: { ...nothing, isWaiting: true },
    depth: 9,
    deepDepth: 14,
  },
  {
    name: 'an invoice on the screen, three reads whose answers overtake each other',
    bounds: { ...nothing, reads: 3, isWaiting: true },
    depth: 6,
    deepDepth: 9,
  },
  {
    name: 'an invoice on the screen, and another one in its place',
    bounds: { ...nothing, creates: 2, isWaiting: true },
    depth: 7,
    deepDepth: 10,
  },
  {
    name: 'stops and a sleep while an invoice is created and paid',
    bounds: { ...nothing, creates: 1, stops: 1, sleeps: 1, isWaiting: true },
    depth: 6,
    deepDepth: 10,
  },
];
