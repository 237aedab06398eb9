import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { optionsCheckout, phoneContext, startRenderedPages, waitingCheckout } from './server-rendered-page.ts';
import { scan } from './scan-qr.ts';
import { openForFile } from '../support/open-for-file.ts';

const pages = await openForFile(startRenderedPages());

const texts = {
  ru: { reload: 'Обновить страницу', pay: /обновите страницу, чтобы проверить оплату/, choose: /включите JavaScript/ },
  en: { reload: 'Reload the page', pay: /reload the page to check the payment/, choose: /turn on JavaScript/ },
} as const;

/** Reads the note about JavaScript, which must be visible. */
const readNote = async (widget: Locator): Promise<string> => {
  assert.ok(await widget.locator('noscript').isVisible());
  return widget.locator('noscript').innerText();
};

describe('a checkout that a server has rendered, in a browser without JavaScript', { timeout: 300_000 }, () => {
  for (const lang of ['ru', 'en'] as const)
    for (const touch of [false, true]) {
      const device = touch ? 'phone' : 'desktop';
      const context = { ...(touch ? phoneContext : {}), javaScriptEnabled: false };

      it(`shows the QR, the link, the requisites and how to check the payment, and nothing that needs a script: in ${lang} on a ${device}`, async () => {
        const { page, widget } = await pages.open({ initial: waitingCheckout, lang, touch, context });
        if (touch) await widget.locator('summary').first().click(); // On a phone the QR is folded.
        const screenshot = await page.screenshot({ fullPage: true });
        if (process.env['KEEP_PICTURES']) {
          mkdirSync('.screens', { recursive: true });
          writeFileSync(`.screens/without-javascript-${lang}-${device}.png`, screenshot);
        }
        assert.equal(scan(screenshot), waitingCheckout.invoice?.nspk_url);
        assert.equal(await widget.locator('[part=qr-link]').getAttribute('href'), waitingCheckout.invoice?.nspk_url);
        await widget.locator('[part=qr-link]').click({ trial: true });
        await widget.locator('[part=value]').first().click({ trial: true });
        assert.match(await readNote(widget), texts[lang].pay);
        for (const role of ['button', 'timer', 'status'] as const)
          assert.equal(await widget.getByRole(role).count(), 0, role);
        const reloadRequest = page.waitForRequest((request) => request.isNavigationRequest());
        await widget.locator('noscript a', { hasText: texts[lang].reload }).click();
        assert.equal((await reloadRequest).url(), page.url());
      });
    }

  for (const lang of ['ru', 'en'] as const)
    it(`shows the options, and that a choice needs JavaScript: in ${lang}`, async () => {
      const { widget } = await pages.open({
        initial: optionsCheckout,
        lang,
        context: { javaScriptEnabled: false },
      });
      assert.equal(await widget.getByRole('radio').count(), optionsCheckout.options.length);
      assert.match(await readNote(widget), texts[lang].choose);
      assert.equal(await widget.getByRole('button').count(), 0);
    });
});
