// One purchase on the files that ship, as a payer hears it: what is announced, and where the focus is, at which second. After an
// intended change run `READING_UPDATE=1 npm run test:reading`, and read the new snapshot aloud.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { checkoutWithoutInvoice, makeEndedCheckout, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { GalleryPage, serveGalleryPage } from '../visual/gallery-page.ts';

declare global {
  /** What the backend answers to each read; undefined is a lost connection. */
  var backendAnswer: Checkout | undefined;
  /** The announcements since the last look. */
  var announcements: string[];
}

const file = (lang: string): string => fileURLToPath(new URL(`snapshots/heard.${lang}.txt`, import.meta.url));

const mountWidget = (page: Page, lang: string): Promise<void> =>
  page.evaluate(
    ([open, created, language]) => {
      globalThis.backendAnswer = open;
      globalThis.announcements = [];
      Math.random = () => 0.5;
      let endsAt = 0;
      const widget: PayInvoiceElement = Object.assign(document.createElement('pay-invoice'), { lang: language });
      widget.transport = {
        read() {
          const checkout = globalThis.backendAnswer;
          if (!checkout) return Promise.reject(new TypeError('no connection'));
          const leftMs = Math.max(0, endsAt - performance.now());
          const invoice = checkout.invoice && { ...checkout.invoice, expires_in_ms: leftMs };
          return Promise.resolve({ kind: 'checkout', checkout: { ...checkout, invoice }, etag: undefined });
        },
        async createInvoice() {
          await new Promise((resolve) => setTimeout(resolve, 2000));
          globalThis.backendAnswer = created;
          endsAt = performance.now() + (created.invoice?.expires_in_ms ?? 0);
          return { kind: 'created', checkout: created };
        },
      };
      document.body.replaceChildren(widget);
      new MutationObserver(() => {
        const text = widget.shadowRoot?.querySelector('[role=status]')?.textContent;
        if (text) globalThis.announcements.push(text);
      }).observe(widget.shadowRoot ?? widget, { subtree: true, childList: true, characterData: true });
    },
    [checkoutWithoutInvoice, makePendingCheckout({ ...sbp, expires_in_ms: 240_000 }), lang] as const,
  );

const readFocus = (page: Page): Promise<string> =>
  page.locator('pay-invoice').evaluate(({ shadowRoot }) => {
    const focused = shadowRoot?.activeElement;
    return focused?.ariaLabel ?? focused?.getAttribute('title') ?? focused?.textContent.trim() ?? '';
  });

/** Advances the clock, and returns what is announced and focused at each second. */
async function listen(page: Page): Promise<{ readonly log: string[]; wait: (seconds: number) => Promise<void> }> {
  const log: string[] = [];
  let second = 0;
  let focus = '';
  let lastText = '';
  const look = async (): Promise<void> => {
    const texts = await page.evaluate(() => globalThis.announcements.splice(0));
    for (const text of texts) {
      if (text === lastText) continue;
      log.push(`${second} s  says   ${text.replace(/[\s\u00a0]+/g, ' ').trim()}`);
      lastText = text;
    }
    const now = (await readFocus(page)).replace(/[\s\u00a0]+/g, ' ');
    if (now !== focus) log.push(`${second} s  focus  ${now || '(outside)'}`);
    focus = now;
  };
  await look();
  return {
    log,
    async wait(seconds) {
      for (const end = second + seconds; second < end; second += 1) {
        await look();
        await page.clock.runFor(1000);
      }
      await look();
    },
  };
}

describe('a purchase by ear', { timeout: 300_000 }, () => {
  for (const [lang, proceed, check] of [
    ['en', 'Continue', 'Check payment'],
    ['ru', 'Продолжить', 'Проверить оплату'],
  ] as const)
    it(`with a slow, lost and restored connection, and time over, is that of the snapshot in ${lang}`, async () => {
      const [server, browser] = await Promise.all([serveGalleryPage(), launchChromium()]);
      const { page } = await GalleryPage.open(browser, server.url, { width: 390, isTouch: true }).then(
        async (gallery) => {
          await gallery.show('options', 'light', lang); // loads both files
          return gallery;
        },
      );
      await mountWidget(page, lang);
      const { log, wait } = await listen(page);
      const widget = page.locator('pay-invoice');
      const act = async (text: string, action: () => Promise<void>): Promise<void> => {
        log.push(`       – ${text}`);
        await action();
      };
      await wait(2);
      await act('presses the main button', () => widget.getByRole('button', { name: proceed }).press('Enter'));
      await wait(130);
      await act('the connection is lost', () => page.evaluate(() => void (globalThis.backendAnswer = undefined)));
      await wait(30);
      await act('and restored', () =>
        page.evaluate((answer) => void (globalThis.backendAnswer = answer), makePendingCheckout(sbp)),
      );
      await wait(90);
      await act('checks the payment', () => widget.getByRole('button', { name: check }).press('Enter'));
      await wait(10);
      await act('the money arrives', () =>
        page.evaluate((answer) => void (globalThis.backendAnswer = answer), makeEndedCheckout('paid')),
      );
      await wait(30);
      await Promise.all([browser.close(), server.close()]);
      if (process.env['READING_UPDATE'] === '1') writeFileSync(file(lang), `${log.join('\n')}\n`);
      assert.deepEqual(log, readFileSync(file(lang), 'utf8').trimEnd().split('\n'));
    });
});
