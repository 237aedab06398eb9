import type { CheckoutStore } from '../../src/server.ts';

/** Counts the further calls of the store's `expedite`. */
export function countExpedites(store: CheckoutStore): { readonly count: number } {
  const expedite = store.expedite.bind(store);
  const calls = { count: 0 };
  store.expedite = (...args) => {
    calls.count += 1;
    return expedite(...args);
  };
  return calls;
}
