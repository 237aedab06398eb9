// The packed package in each bundler, under the policy that the guide documents. `npm ci` in this folder brings the bundlers.
import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import express from 'express';
import { createInvoiceServiceClient, toNodeListener } from '../../src/server.ts';
import { listen } from '../mounts/listen.ts';
import { createMerchantBackend, type MerchantBackend } from '../mounts/merchant-backend.ts';
import { CleanMachine } from '../package/clean-machine.ts';
import { openPage, payInPage, startBrowserAndSandbox } from '../package/example-workspace.ts';
import { bundlers, type Bundler } from './bundlers.ts';

const pageWith = (script: string): string => `<!doctype html>
<html lang="en"><head><title>Tea</title><script type="module" src="./${script}"></script></head>
<body><p></p><pay-invoice></pay-invoice></body></html>`;

const shopScript = (entry: string): string => `import '${entry}';
document.querySelector('pay-invoice').checkout = location.hash.slice(1);
addEventListener('pay-invoice-paid', (event) => {
  document.querySelector('p').textContent = 'Paid ' + event.checkout.reference;
});
`;

let machine: CleanMachine;
let services: Awaited<ReturnType<typeof startBrowserAndSandbox>>;
let merchant: MerchantBackend;
before(async () => {
  machine = await CleanMachine.withPackage();
  services = await startBrowserAndSandbox();
  merchant = createMerchantBackend({
    service: createInvoiceServiceClient({ baseUrl: services.sandbox, token: 'sandbox-token' }),
  });
});
after(async () => {
  await merchant.checkouts.stop();
  await services.close();
  await machine.remove();
});

/** Builds the shop's page in a folder of its own. Resolves with the folder of the built files. */
async function build({ name, entry, files, command, script }: Bundler): Promise<string> {
  const shop = name.replaceAll(' ', '-');
  const texts = {
    'package.json': '{ "type": "module" }',
    'src/index.js': shopScript(entry),
    'index.html': pageWith(script ?? 'src/index.js'),
    ...files,
  };
  await machine.write(Object.fromEntries(Object.entries(texts).map(([path, text]) => [join(shop, path), text])));
  await machine.run('sh', '-c', `cd ${shop} && ${command.join(' ')} 2>&1`);
  const folder = join(machine.folder, shop);
  if (script !== undefined) cpSync(join(folder, 'index.html'), join(folder, 'out/index.html'));
  return join(folder, 'out');
}

describe('a page under the documented policy, whose bundler is', { timeout: 300_000 }, () => {
  for (const bundler of bundlers)
    it(`${bundler.name}, takes a payment`, async (t) => {
      const folder = await build(bundler);
      const app = express();
      app.get('/', (_request, response) => {
        const html = readFileSync(join(folder, 'index.html'), 'utf8');
        response.set('content-security-policy', bundler.policyOf(html)).type('html').send(html);
      });
      app.get('/favicon.ico', (_request, response) => void response.status(204).end());
      app.use(express.static(folder), toNodeListener(merchant.checkouts));
      const { endpoint: origin, close } = await listen(createServer(app), '');
      t.after(close);
      const id = await merchant.open();
      const { page, browserErrors } = await openPage(services.browser);
      t.after(() => page.close());
      page.setDefaultTimeout(20_000);
      await page.goto(`${origin}/#${id}`);
      await payInPage(page, services.sandbox, 'Pay by SBP').catch((error: unknown) => {
        throw new Error(browserErrors.join('\n') || 'the page reports no error', { cause: error });
      });
      assert.deepEqual(browserErrors, []);
    });
});
