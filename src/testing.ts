// `pay-invoice/testing`: a checkout server and a sandbox within a test of a merchant's shop.
export {
  createTestCheckouts,
  type PayerChoice,
  type TestCheckouts,
  type TestCheckoutsOptions,
} from './tools/testing/create-test-checkouts.ts';
