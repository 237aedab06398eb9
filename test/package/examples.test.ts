import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import express from 'express';
import { createInvoiceServiceClient, toNodeListener } from '../../src/server.ts';
import { listen } from '../mounts/listen.ts';
import { createMerchantBackend, type MerchantBackend } from '../mounts/merchant-backend.ts';
import { ExampleWorkspace, openPage, payInPage, startBrowserAndSandbox, type Mistake } from './example-workspace.ts';

// The pages of merchants, built from the packed package and not from this source.
const bundledExamples = ['react', 'vue', 'svelte', 'angular'];
const examples = ['plain', ...bundledExamples];
const pages = ['plain/module.html', ...bundledExamples.map((name) => `${name}/`)];

const wrongTheme: Mistake = ['theme="light"', 'theme="blue"', /"blue"/];
const wrongEvent: Mistake = ['event.checkout.reference', 'event.invoice.reference', /'invoice' does not exist/];

/** Mistakes that the types must report. */
const mistakes: Readonly<Record<string, { readonly file: string; readonly rows: readonly Mistake[] }>> = {
  react: { file: 'src/Checkout.tsx', rows: [wrongTheme, wrongEvent] },
  vue: { file: 'src/Checkout.vue', rows: [wrongTheme, wrongEvent] },
  svelte: { file: 'src/Checkout.svelte', rows: [wrongTheme, wrongEvent] },
  angular: {
    file: 'src/app/checkout.ts',
    rows: [
      [
        '$event.checkout.reference',
        '$event.invoice.reference',
        /'invoice' does not exist on type 'CheckoutOutcomeEvent'/,
      ],
    ],
  },
};

let workspace: ExampleWorkspace;
let services: Awaited<ReturnType<typeof startBrowserAndSandbox>>;
let merchant: MerchantBackend;
let origin = '';
const cleanupSteps: (() => unknown)[] = [];

before(async () => {
  workspace = await ExampleWorkspace.build(examples);
  cleanupSteps.push(() => workspace.machine.remove());

  services = await startBrowserAndSandbox();
  const { sandbox } = services;
  cleanupSteps.push(() => services.close());
  merchant = createMerchantBackend({
    service: createInvoiceServiceClient({ baseUrl: sandbox, token: 'sandbox-token' }),
  });
  cleanupSteps.push(() => merchant.checkouts.stop());
  const app = express();
  for (const name of examples) app.use(`/${name}`, express.static(join(workspace.folderOf(name), 'dist')));
  app.get('/favicon.ico', (_request, response) => void response.status(204).end());
  app.use(toNodeListener(merchant.checkouts));
  const { endpoint, close } = await listen(createServer(app), '');
  cleanupSteps.push(close);
  origin = endpoint;
});
after(async () => {
  for (const step of cleanupSteps.reverse()) await step();
});

describe('a page that has the package from its tarball', { timeout: 480_000 }, () => {
  for (const path of pages)
    it(`takes a payment: ${path}`, async () => {
      const id = await merchant.open();
      const { page, browserErrors } = await openPage(services.browser);
      await page.goto(`${origin}/${path}?checkout=${id}`);
      await payInPage(page, services.sandbox, path.startsWith('plain') ? 'Pay by SBP' : 'Go on');
      assert.deepEqual(browserErrors, []);
      await page.close();
    });

  it('is built without a warning about CommonJS: angular', () => {
    const buildOutput = workspace.builds.get('angular') ?? '';
    assert.match(buildOutput, /Application bundle generation complete/);
    assert.doesNotMatch(buildOutput, /WARNING|is not ESM/);
  });

  for (const [name, { file, rows }] of Object.entries(mistakes))
    it(`has types that reject ${rows.map(([, wrong]) => wrong).join(' and ')}, and report nothing else: ${name}`, async () => {
      const errors = await workspace.findTypeErrors(name, file, rows);
      assert.equal(errors.length, rows.length, errors.join('\n'));
      for (const [, , report] of rows) assert.match(errors.join('\n'), report);
    });
});
