import { testFrameworkShop } from './server-framework-tests.ts';

testFrameworkShop({
  name: 'next',
  readyPattern: /(Ready)/,
  hasDevelopmentWarnings: true,
  page: 'app/pay/[order]/pay-invoice.tsx',
});
