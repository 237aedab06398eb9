// `pay-invoice/testing`: a checkout server and a sandbox within a test of a merchant's shop, and the rules of the store port as
// tests of `node:test`, for a merchant's own store.
export {
  createTestCheckouts,
  type PayerChoice,
  type TestCheckouts,
  type TestCheckoutsOptions,
} from './tools/testing/create-test-checkouts.ts';
export { storeContract, type StoreUnderTest } from './tools/testing/store-contract.ts';
