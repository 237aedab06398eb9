// The scenarios of the checkout model: the steps that may happen in each, and to which depth the steps are explored.
import type { Bounds } from './checkout-model-state.ts';

export interface Scenario {
  readonly name: string;
  readonly bounds: Bounds;
  /** How many steps are explored. */
  readonly depth: number;
}

const zeroBounds: Bounds = {
  repeatedCreate: 'same invoice',
  pendingInvoices: 0,
  requests: 0,
  calls: 0,
  fetches: 0,
  clockSteps: 0,
  crashes: 0,
  dayPasses: false,
  mayClose: false,
  mayResolve: false,
};

export const scenarios: readonly Scenario[] = [
  {
    name: 'two requests, two processes, one crash, and a service that returns one invoice for a repeated create',
    bounds: { ...zeroBounds, requests: 2, calls: 2, crashes: 1 },
    depth: 6,
  },
  {
    name: 'a repeated create at a service that creates a new invoice each time',
    bounds: { ...zeroBounds, repeatedCreate: 'new invoice', requests: 1, calls: 2, crashes: 1 },
    depth: 8,
  },
  {
    name: 'one pending invoice, two concurrent fetches, and a clock that is set',
    bounds: { ...zeroBounds, pendingInvoices: 1, fetches: 2, clockSteps: 1 },
    depth: 6,
  },
  {
    name: 'a pending invoice and the invoice that it replaced',
    bounds: { ...zeroBounds, pendingInvoices: 2, fetches: 1 },
    depth: 7,
  },
  {
    name: 'a payer who requests another invoice while the first is paid',
    bounds: { ...zeroBounds, pendingInvoices: 1, requests: 1, calls: 1, fetches: 1 },
    depth: 7,
  },
  {
    name: 'a create that stays in doubt for a day, and a payer who repeats it',
    bounds: { ...zeroBounds, requests: 2, calls: 1, dayPasses: true },
    depth: 8,
  },
  {
    name: 'a checkout that is closed or whose expiresAt passes while the payer requests and pays an invoice',
    bounds: { ...zeroBounds, mayClose: true, requests: 2, calls: 1, fetches: 1 },
    depth: 5,
  },
  {
    name: 'a checkout that is closed or whose expiresAt passes while an invoice is pending',
    bounds: { ...zeroBounds, mayClose: true, pendingInvoices: 1, requests: 1, calls: 1, fetches: 1 },
    depth: 5,
  },
  {
    name: 'a person who decides about an invoice with a word in no list',
    bounds: { ...zeroBounds, mayResolve: true, pendingInvoices: 1, fetches: 1 },
    depth: 7,
  },
  {
    name: 'a person who decides about a create that stayed in doubt for a day',
    bounds: { ...zeroBounds, mayResolve: true, requests: 1, calls: 1, fetches: 1, dayPasses: true },
    depth: 8,
  },
  {
    name: 'requests, calls, fetches, a crash and a clock that is set',
    bounds: { ...zeroBounds, requests: 2, calls: 2, fetches: 1, clockSteps: 1, crashes: 1 },
    depth: 5,
  },
];
