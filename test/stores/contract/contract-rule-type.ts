import type { CheckoutStore } from '../../../src/server.ts';

/**
 * Declares a test of one rule of the store contract. `check` gets an empty store, and rejects when the store breaks the rule.
 */
export type Rule = (title: string, check: (store: CheckoutStore) => Promise<void>) => void;
