// `pay-invoice/testing`: the rules of the store port as tests of `node:test`, for a merchant's own store.
export { storeContract, type StoreUnderTest } from './tools/testing/store-contract.ts';
