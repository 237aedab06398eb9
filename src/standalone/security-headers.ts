import { hash } from 'node:crypto';

/** The source of a page's own style sheet or script in a content security policy. */
export const inlineSource = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

/**
 * The headers of each page of the standalone server: nothing cached, found by no search engine, in no frame but in those
 * of `frames`, and a policy that allows the icon and what `directives` allow.
 */
export const pageHeaders = (directives: readonly string[], images = '', frames: readonly string[] = []) => ({
  'content-security-policy': [
    "default-src 'none'",
    "base-uri 'none'",
    `frame-ancestors ${frames.join(' ') || "'none'"}`,
    `img-src 'self' data:${images}`,
    ...directives,
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
  'x-content-type-options': 'nosniff',
});
