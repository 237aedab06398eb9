import { createHash } from 'node:crypto';

/** The source of a page's own style sheet in a content security policy. */
export const styleSource = (style: string): string => `'sha256-${createHash('sha256').update(style).digest('base64')}'`;

/** The headers of each page of the standalone server: a policy, nothing cached, found by no search engine. */
export const pageHeaders = (policy: readonly string[]) => ({
  'content-security-policy': policy.join('; '),
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
  'x-content-type-options': 'nosniff',
});
