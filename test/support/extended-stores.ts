import type { CheckoutStore } from '../../src/server.ts';

/** A store with `loadIfChanged`, which the store in memory lacks. `load` of the given store is called for it. */
export function withLoadIfChanged(store: CheckoutStore): CheckoutStore {
  return {
    ...store,
    async loadIfChanged(id, version) {
      const record = await store.load(id);
      return record?.version === version ? 'unchanged' : record;
    },
  };
}

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
