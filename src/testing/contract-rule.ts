import type { CheckoutStore } from '../server.ts';

/** Checks a store that is empty. */
export type Rule = (title: string, check: (store: CheckoutStore) => Promise<void>) => void;
