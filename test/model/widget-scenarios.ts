// The scenarios of the widget's model: the steps that may happen in each, and to which depth the steps are explored.
import type { WidgetBounds } from './widget-model-state.ts';

export interface WidgetScenario {
  readonly name: string;
  readonly bounds: WidgetBounds;
  /** How many steps `npm test` explores (`depth`), and `npm run check:model` (`deepDepth`). */
  readonly depth: number;
  readonly deepDepth: number;
}

const minimalBounds: WidgetBounds = {
  reads: 1,
  creates: 0,
  stops: 0,
  sleeps: 0,
  wrongAmounts: 0,
  startsWithInvoice: false,
};

export const widgetScenarios: readonly WidgetScenario[] = [
  {
    name: 'a first invoice that is created, refused, lost, or has another amount',
    bounds: { ...minimalBounds, creates: 1, wrongAmounts: 1 },
    depth: 11,
    deepDepth: 15,
  },
  {
    name: 'an invoice on the screen that ends and is paid late',
    bounds: { ...minimalBounds, startsWithInvoice: true },
    depth: 9,
    deepDepth: 14,
  },
  {
    name: 'an invoice on the screen and three concurrent reads',
    bounds: { ...minimalBounds, reads: 3, startsWithInvoice: true },
    depth: 6,
    deepDepth: 9,
  },
  {
    name: 'an invoice on the screen that is replaced by another invoice',
    bounds: { ...minimalBounds, creates: 2, startsWithInvoice: true },
    depth: 7,
    deepDepth: 10,
  },
  {
    name: 'stops and a sleep while an invoice is created and paid',
    bounds: { ...minimalBounds, creates: 1, stops: 1, sleeps: 1, startsWithInvoice: true },
    depth: 6,
    deepDepth: 10,
  },
];
