// A Vite plugin for the demo's pages: a Content Security Policy in a meta element.
import type { Plugin } from 'vite';

/** The header that demo/server.ts sends, as far as a meta element may set it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types lit-html 'allow-duplicates'",
].join('; ');

/** Adds the strict content security policy to pages as a meta element: any web server may serve them. */
export function contentSecurityPolicy(): Plugin {
  return {
    name: 'content-security-policy',
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
