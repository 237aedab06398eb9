import { testFrameworkShop } from './server-framework-tests.ts';

testFrameworkShop({
  name: 'nuxt',
  ready: /(Listening)/,
  comparesInDevelopment: false,
  page: 'app/pages/pay/[order].vue',
});
