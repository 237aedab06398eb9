import { inlineSource, pageHeaders } from '../security-headers.ts';
import { statusStyle } from './status-page.ts';

interface PolicyParts {
  /** The public address of the checkout API, beside which the pages are. */
  readonly endpoint: string;
  readonly style: string;
  readonly widgetUrl: string;
  readonly pictures: readonly (string | undefined)[];
  readonly script: string | undefined;
  readonly frameAncestors: readonly string[];
}

/**
 * The headers of each response. The policy allows the page's own style sheet, script and frame, the widget, the checkout API and the
 * pictures. A page that may be framed names its origin, too: WebKit does not know `'self'` where a sandbox has taken the origin.
 */
export function payPageHeaders({
  endpoint,
  style,
  widgetUrl,
  pictures,
  script,
  frameAncestors,
}: PolicyParts): Record<string, string> {
  const originOf = (url: string | undefined): string =>
    url !== undefined && URL.canParse(url) ? ` ${new URL(url).origin}` : '';
  const self = `'self'${frameAncestors.length === 0 ? '' : originOf(endpoint)}`;
  const directives = [
    `script-src ${self}${originOf(widgetUrl)}${script === undefined ? '' : ` ${inlineSource(script)}`}`,
    `style-src ${inlineSource(style)}`,
    `connect-src ${self}`,
    `form-action ${self}`,
    `frame-src ${self}`,
    "require-trusted-types-for 'script'",
    "trusted-types lit-html 'allow-duplicates'",
  ];
  return {
    ...pageHeaders(directives, [...new Set(pictures.map(originOf))].join(''), frameAncestors),
    'content-type': 'text/html; charset=utf-8',
  };
}

/**
 * The policy of the status in the frame of a page. Any page may show it: it has one link, to the page. Where a sandbox has taken the page's
 * origin, no origin could be named.
 */
export const statusPolicy = `default-src 'none'; base-uri 'none'; style-src ${inlineSource(statusStyle)}`;
