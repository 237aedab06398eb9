import { createMemoryStore, StoreUnavailableError, type CheckoutStore } from '../../src/server.ts';

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

/** A store whose calls fail while `state.isUnavailable` is true. */
export function createInterruptibleStore({ database = createMemoryStore(), reason = 'timeout' } = {}) {
  const state = { isUnavailable: false };
  const store = new Proxy(database, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || name === 'subscribe') return method;
      return (...args: readonly unknown[]): unknown =>
        state.isUnavailable ? Promise.reject(new StoreUnavailableError(reason)) : Reflect.apply(method, target, args);
    },
  });
  return { state, store };
}
