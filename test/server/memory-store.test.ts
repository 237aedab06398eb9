import { createMemoryStore } from '../../src/server.ts';
import { storeContract } from '../support/store-contract.ts';

storeContract('the store in memory', () =>
  Promise.resolve({ store: createMemoryStore(), close: () => Promise.resolve() }),
);
