import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, describe, it } from 'node:test';
import { toNodeListener } from '../../src/server.ts';
import { documentOf } from '../docs/documents.ts';
import { listen } from '../mounts/listen.ts';
import { createMerchantBackend } from '../mounts/merchant-backend.ts';
import { openForFile } from '../support/open-for-file.ts';
import { script, startMerchantSite } from './merchant-site.ts';
import { card, chooseMethod, findHeading, openBrowser, visit } from './visit-page.ts';

// Pages of other origins than the backend, under the policy of docs/page.md.
const guide = documentOf('docs/page.md');
const policy = (guide.blocks.find(({ language }) => language === 'csp')?.code ?? assert.fail()).replaceAll('\n', ' ');

const browser = await openBrowser();
const site = await openForFile(startMerchantSite());
const withOtherHost = (url: string): string => url.replace('127.0.0.1', 'localhost');

describe('a merchant’s own page and backend', { timeout: 300_000 }, () => {
  it('a page of an allowed origin completes a payment, under the policy of the guide', async () => {
    const merchant = createMerchantBackend({ allowedOrigins: [withOtherHost(site.url)] });
    const { endpoint, close } = await listen(createServer(toNodeListener(merchant.checkouts)));
    after(async () => {
      await merchant.checkouts.stop();
      await close();
    });
    const tag = `<pay-invoice lang="en" endpoint="${endpoint}" checkout="${await merchant.open()}"></pay-invoice>`;
    const page = site.addPage(script + tag, {
      'content-security-policy': policy.replace("connect-src 'self'", `connect-src ${new URL(endpoint).origin}`),
    });
    const { widget, browserErrors } = await visit(browser, withOtherHost(page));
    await chooseMethod(widget, card);
    await widget.getByText('CANARY HOLDER').waitFor();
    merchant.service.setStatus('PAID');
    await findHeading(widget, 'Payment received').waitFor();
    assert.deepEqual(browserErrors, []);
  });
});
