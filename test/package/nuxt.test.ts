import { testFrameworkShop } from './server-framework-tests.ts';

testFrameworkShop({
  name: 'nuxt',
  readyPattern: /(Listening)/,
  hasDevelopmentWarnings: false,
  page: 'app/pages/pay/[order].vue',
});
