/** The package's entries, each a file of src. */
export const packageEntries: readonly string[] = [
  'pay-invoice',
  'element',
  'dialog',
  'headless', // pay-invoice/core
  'checkout-schemas', // pay-invoice/checkout-api
  'server',
  'sqlite',
  'postgres',
  'testing',
  'sandbox',
  'standalone',
  'conformance',
  'locales',
  'locales/en',
  'locales/kk',
  'locales/ru',
];

/** The package's libraries, which its files import; everything else is bundled. */
export const packageLibraries: readonly (string | RegExp)[] = [/^(lit|zod|kysely|pg)(\/|$)/, /^node:/];
