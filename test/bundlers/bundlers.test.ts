// The packed package in each bundler, under the policy that the guide documents. `npm ci` in this folder brings the bundlers.
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import express from 'express';
import { createInvoiceServiceClient, toNodeListener } from '../../src/server.ts';
import { listen } from '../mounts/listen.ts';
import { createMerchantBackend, type MerchantBackend } from '../mounts/merchant-backend.ts';
import { CleanMachine } from '../package/clean-machine.ts';
import { openPage, payInPage, payNewestInvoice, startBrowserAndSandbox } from '../package/example-workspace.ts';
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

/** The built file of the screens that the first file does not have, or a part of it: the file with half of the Russian texts. */
function secondFileIn(folder: string): string {
  const isSecond = (path: string): boolean => {
    const text = path.endsWith('.js') ? readFileSync(join(folder, path), 'utf8') : '';
    return text.includes('paid.announcement') && !text.includes('options.continue');
  };
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).find(isSecond) ?? assert.fail('no second file');
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
      let failing: string | undefined;
      app.use((request, response, next) => {
        const isFailing = failing !== undefined && request.path.endsWith(failing);
        if (isFailing) failing = undefined;
        if (isFailing) response.status(503).end();
        else next();
      });
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

      // The site fails once for the second file: the payer and the shop learn of the payment all the same.
      failing = secondFileIn(folder);
      const other = await openPage(services.browser);
      t.after(() => other.page.close());
      other.page.setDefaultTimeout(20_000);
      await other.page.goto(`${origin}/#${await merchant.open()}`);
      const widget = other.page.locator('pay-invoice');
      await widget.getByRole('radio', { name: /SBP/ }).check();
      await widget.getByRole('button', { name: 'Pay by SBP', exact: true }).click();
      await widget.locator('canvas[part=qr]').waitFor();
      assert.equal(failing, undefined, 'the file was requested');
      await payNewestInvoice(services.sandbox);
      await other.page.getByText(/^Paid R-/).waitFor();
      await widget.getByText(/^(Payment received|The page did not load completely)$/).waitFor();
    });
});
