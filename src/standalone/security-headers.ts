import { hash } from 'node:crypto';

/** The source of a page's own style sheet in a content security policy. */
export const styleSource = (style: string): string => `'sha256-${hash('sha256', style, 'base64')}'`;

/**
 * The headers of each page of the standalone server: nothing cached, found by no search engine, and a policy that allows the
 * icon and what `directives` allow.
 */
export const pageHeaders = (directives: readonly string[], images = '') => ({
  'content-security-policy': [
    "default-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    `img-src 'self' data:${images}`,
    ...directives,
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
  'x-content-type-options': 'nosniff',
});
