import { createMemoryStore, type CheckoutRecord, type CheckoutStore } from '../../src/server.ts';
import { keep, kept } from './kept.ts';

/** The memory store, whose checkouts outlive a reload of the page. */
export function createCheckoutMemory(): CheckoutStore {
  const store = createMemoryStore();
  const restored = Promise.all(kept('checkout').map((value) => store.insert(value as CheckoutRecord))); // our own writing
  return {
    ...store,
    async insert(checkout) {
      await store.insert(checkout);
      keep('checkout', checkout.id, checkout);
    },
    async load(id) {
      await restored;
      return store.load(id);
    },
    async save(checkout, outcomes) {
      const saved = await store.save(checkout, outcomes);
      if (saved) keep('checkout', checkout.id, checkout);
      return saved;
    },
  };
}
