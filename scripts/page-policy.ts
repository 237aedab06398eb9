import type { Plugin } from 'vite';

/** What the server-example sends as a header, as far as a page can say it itself. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types lit-html',
].join('; ');

/** Puts the strict security policy into pages that are served by who knows what. */
export function pagePolicy(): Plugin {
  return {
    name: 'page-policy',
    transformIndexHtml: {
      order: 'post',
      handler: () => [
        {
          tag: 'meta',
          attrs: { 'http-equiv': 'content-security-policy', content: policy },
          injectTo: 'head-prepend',
        },
      ],
    },
  };
}
