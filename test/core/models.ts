import type { Checkout } from '../../src/checkout-api.ts';
import { reduce } from '../../src/core/reducer.ts';
import type { Action } from '../../src/core/session-commands.ts';
import { createModel, type Model } from '../../src/core/session-model.ts';

/** The model after actions that follow one another. */
export const applyActions = (model: Model, ...actions: readonly Action[]): Model =>
  actions.reduce((before, action) => reduce(before, action).model, model);

/** The model of a new session after actions. */
export const modelAfter = (...actions: readonly Action[]): Model => applyActions(createModel(), ...actions);

/** When the responses of `loaded` arrive. */
export const loadedAt = 1000;

/** A response to the read with this number. */
export const loaded = (number: number, checkout: Checkout): Action & { type: 'loaded' } => ({
  type: 'loaded',
  number,
  checkout,
  now: loadedAt,
});

export const createInvoice: Action = { type: 'createInvoice', key: 'key_1', now: loadedAt };
