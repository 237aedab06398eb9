// The built widget under the strictest policies of a page, in Chromium and Firefox.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { build } from 'esbuild';
import { listen } from '../mounts/listen.ts';
import { firefoxAndWebKitLaunchers } from '../support/firefox-and-webkit.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { until } from '../support/wait-until.ts';
import { openCheckout, script, startMerchantSite, tag, type MerchantSite } from './merchant-site.ts';

interface Tab {
  readonly goto: (url: string) => Promise<unknown>;
  readonly evaluate: (expression: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

async function launchChromiumTab(): Promise<Tab> {
  const browser = await launchChromium();
  const page = await browser.newPage();
  return {
    goto: (url) => page.goto(url),
    evaluate: (expression) => page.evaluate(expression),
    close: () => browser.close(),
  };
}

const policyInDocuments = /```csp\n([^`]*)```/.exec(readFileSync('docs/page.md', 'utf8'))?.[1] ?? '';
/** The policy that docs/page.md documents for a page with nothing else on it. */
const documentedPolicy = policyInDocuments.replace(/\s+/g, ' ').trim();
/** The policies of the pages that merchants copy. */
const copiedPolicies = ['docs/integrating.md', 'server-example/main.ts'].map(
  (path) => /"(default-src 'none'[^"]+)"/.exec(readFileSync(path, 'utf8'))?.[1] ?? '',
);
const snippet = readFileSync('dist/cdn/snippet.html', 'utf8').replaceAll('CHECKOUT', 'chk_site');
const [importMapHash = ''] = /'sha256-[^']+'/.exec(snippet) ?? [];
/** The policy for a page with the snippet, whose import map is an inline script. */
const snippetPolicy = documentedPolicy.replace("script-src 'self'", `script-src 'self' ${importMapHash}`);
const integrityPolicy = 'blocked-destinations=(script)';

const root = `document.querySelector('pay-invoice')?.shadowRoot`;
/**
 * Records what a page's policies refuse. It is a file, because the policies forbid inline scripts. An error of the checkout's
 * preload is not one: Chromium may report it though the widget has used the answer.
 */
const recorder = `globalThis.refused = [];
document.addEventListener('securitypolicyviolation', ({ effectiveDirective, sample }) => refused.push(effectiveDirective + ' ' + sample));
addEventListener('error', ({ message, target }) => target.as === 'fetch' || refused.push(message ?? target.outerHTML), true);`;

let site: MerchantSite;

before(async () => {
  assert.match(documentedPolicy, /default-src 'none'.*require-trusted-types-for 'script'/);
  site = await startMerchantSite();
  site.addScript('/recorder.js', recorder);
  const { outputFiles } = await build({
    stdin: {
      contents: `import { html, render } from 'lit'; render(html\`<p id="page">\${'text'}</p>\`, document.body.appendChild(document.createElement('div')));`,
      resolveDir: process.cwd(),
    },
    bundle: true,
    write: false,
    format: 'esm',
  });
  site.addScript('/page-with-lit.js', outputFiles[0]?.text ?? '');
});

after(() => site.close());

const launchers = { Chromium: launchChromiumTab, Firefox: firefoxAndWebKitLaunchers()['Firefox'] };

for (const [name, launch] of Object.entries(launchers))
  describe(`the built widget in ${name}`, { skip: launch ? false : 'NOT INSTALLED', timeout: 120_000 }, () => {
    let tab: Tab;
    const waitFor = (expression: string): Promise<void> =>
      until(expression, async () => Boolean(await tab.evaluate(`!!(${expression})`)));

    before(async () => {
      assert.ok(launch);
      tab = await launch();
    });
    after(() => tab.close());

    it('is paid under Integrity-Policy and Trusted Types with the generated snippet', async () => {
      site.checkout = openCheckout;
      const policies = { 'integrity-policy': integrityPolicy, 'content-security-policy': snippetPolicy };
      const recorderHash = createHash('sha384').update(recorder).digest('base64');
      const recorderTag = `<script src="/recorder.js" integrity="sha384-${recorderHash}" crossorigin></script>`;
      await tab.goto(site.addPage(`${recorderTag}${snippet}`, policies));
      await waitFor(`${root}?.querySelector('[part=continue]:enabled')`);
      await tab.evaluate(`${root}.querySelector('[part=continue]').click()`);
      await waitFor(`${root}?.querySelector('[part=qr]')`);
      await waitFor(`${root}?.querySelector('[part=requisites]')`);
      assert.deepEqual(await tab.evaluate('refused'), []);
    });

    it('is not loaded under Integrity-Policy without the snippet’s hashes, so the policy is in force', async () => {
      await tab.goto(site.addPage(script + tag, { 'integrity-policy': integrityPolicy }));
      await waitFor(`document.readyState === 'complete'`);
      assert.equal(await tab.evaluate(`customElements.get('pay-invoice') === undefined`), true);
    });

    it('shows its methods under the documented policy on a page that itself uses Lit', async () => {
      site.checkout = openCheckout;
      const ownScripts = '<script src="/recorder.js"></script><script type="module" src="/page-with-lit.js"></script>';
      await tab.goto(site.addPage(ownScripts + script + tag, { 'content-security-policy': documentedPolicy }));
      await waitFor(`document.querySelector('#page')`);
      await waitFor(`${root}?.querySelector('[part=method]')`);
      assert.deepEqual(await tab.evaluate('refused'), []);
    });
  });

describe(
  'a page whose browser shows icons',
  { skip: launchers.Firefox ? false : 'NOT INSTALLED', timeout: 120_000 },
  () => {
    it('may have one under each policy that merchants copy', async (t) => {
      const tab = await launchers.Firefox?.();
      t.after(() => tab?.close());
      for (const policy of [documentedPolicy, ...copiedPolicies]) {
        const requests: string[] = [];
        const server = createServer(({ url = '' }, response) => {
          requests.push(url);
          const headers = { 'content-type': 'text/html', 'content-security-policy': policy };
          response.writeHead(url === '/' ? 200 : 404, headers).end('<!doctype html><title>Tea</title>');
        });
        const { endpoint, close } = await listen(server, '/');
        t.after(close);
        await tab?.goto(endpoint);
        await until(`the icon is requested under ${policy}`, () => requests.includes('/favicon.ico'));
      }
    });
  },
);
