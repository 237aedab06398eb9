import { createMemoryStore, StoreUnavailableError } from '../../src/server.ts';

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
