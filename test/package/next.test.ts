import { testFrameworkShop } from './server-framework-tests.ts';

testFrameworkShop({
  name: 'next',
  ready: /(Ready)/,
  comparesInDevelopment: true,
  page: 'app/pay/[order]/pay-invoice.tsx',
});
