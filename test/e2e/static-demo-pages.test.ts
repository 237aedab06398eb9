import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { serveFiles } from '../support/file-server.ts';
import { openForFile } from '../support/open-for-file.ts';
import { card, chooseMethod, findCopyButton, findHeading, openBrowser, sbp, visit } from './visit-page.ts';

// The demo's pages on a plain web server, below any path: nothing but files.
const browser = await openBrowser();
assert.equal(spawnSync('npx', ['tsx', 'scripts/build-if-stale.ts', 'pages']).status, 0);
const site = await openForFile(serveFiles('dist/demo', '/pay-invoice/'));

describe('the demo’s pages without a server behind them', { timeout: 300_000 }, () => {
  it('have a playground whose order is paid, refused and expires', async () => {
    const { page, widget, browserErrors, origins } = await visit(browser, `${site.url}demo/playground.html`);
    const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
    await chooseMethod(widget, sbp);
    await widget.locator('[part=qr]').waitFor();
    await press('Let it expire');
    await findHeading(widget, 'Payment time has run out').waitFor();
    await press('New order');
    await chooseMethod(widget, card);
    await findCopyButton(widget, 'Card number').waitFor();
    await press('Refuse it');
    await findHeading(widget, 'Payment failed').waitFor();
    await widget.getByRole('button', { name: 'Try again' }).click();
    await chooseMethod(widget, card);
    await findCopyButton(widget, 'Card number').waitFor();
    await press('Pay it');
    await findHeading(widget, 'Payment received').waitFor();
    assert.deepEqual(browserErrors, []);
    assert.deepEqual([...origins], [new URL(site.url).origin]);
  });

  it('have a gallery', async () => {
    const { page, widget, browserErrors, origins } = await visit(browser, `${site.url}demo/gallery.html`);
    await page.getByRole('link', { name: 'Expired', exact: true }).click();
    await findHeading(widget, 'Payment time has run out').waitFor();
    assert.deepEqual(browserErrors, []);
    assert.deepEqual([...origins], [new URL(site.url).origin]);
  });

  it('have a payment to try instead of the shop, which needs its server, and links to the other pages', async () => {
    const { page, widget, browserErrors } = await visit(browser, site.url);
    await page.getByText('The shop needs its server: npm ci && npm start.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Place the order' }).isVisible(), false);
    await widget.locator('[part=qr]').waitFor();
    await page.getByRole('button', { name: 'Let it expire' }).click();
    await findHeading(widget, 'Payment time has run out').waitFor();
    await page.getByRole('button', { name: 'New order' }).click();
    await widget.locator('[part=qr]').waitFor();
    await page.getByRole('button', { name: 'Pay it' }).click();
    await findHeading(widget, 'Payment received').waitFor();
    // The browser reports the requests to the server that is not there.
    assert.ok(
      browserErrors.every((error) => error.includes('404')),
      browserErrors.join('\n'),
    );
    await page.getByRole('link', { name: 'Playground' }).click();
    await widget.getByRole('radio').first().waitFor();
  });
});
