import { readFile } from 'node:fs/promises';
import { acceptedEncoding, compressAs, quickQuality } from './compress.ts';
import { pageHeaders } from './page-headers.ts';
import type { App } from './problem.ts';

/** Nothing but the page's own script and the admin API. Lit adopts style sheets, which no directive forbids. */
const headers = pageHeaders([
  "script-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types lit-html',
]);

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <meta name="color-scheme" content="light dark" />
    <title>Checkouts</title>
    <script type="module" src="admin/operator-page.js"></script>
  </head>
  <body><operator-page></operator-page><noscript>This page needs JavaScript.</noscript></body>
</html>
`;

/**
 * Adds the operator's page at `/admin`. Whoever opens it sees a form for the admin token; everything else comes from the admin API.
 * @param scriptFile - the package's `dist/operator/operator-page.js`
 */
export function addOperatorPage(app: App, scriptFile: string): void {
  app.get('/admin', (c) => c.html(page, 200, headers));
  app.get('/admin/operator-page.js', async (c) => {
    const { body, encoding } = await compressAs(acceptedEncoding(c.req.raw), await readFile(scriptFile), quickQuality);
    return c.body(body, 200, { ...headers, ...encoding, 'content-type': 'text/javascript; charset=utf-8' });
  });
}
