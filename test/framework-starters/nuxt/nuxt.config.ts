export default defineNuxtConfig({
  compatibilityDate: '2026-01-01',
  app: { head: { link: [{ rel: 'icon', href: 'data:,' }] } },
});
