// One purchase on the files that ship, as a payer hears it: what is announced, and where the focus is, at which second; and the
// same for the states in which a payer needs a word. After an intended change run `READING_UPDATE=1 npm run test:reading`, and read the new snapshot aloud.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { checkoutWithoutInvoice, makeEndedCheckout, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { openForFile } from '../support/open-for-file.ts';
import { GalleryPage, serveGalleryPage } from '../visual/gallery-page.ts';

declare global {
  /** What the backend answers to each read; undefined is a lost connection. */
  var backendAnswer: Checkout | undefined;
  /** The announcements since the last look. */
  var announcements: string[];
}

const browser = await openForFile(launchChromium());
const server = await openForFile(serveGalleryPage());

/** Compares the log with its snapshot, or stores it. */
function assertHeard(name: string, log: readonly string[]): void {
  const file = fileURLToPath(new URL(`snapshots/${name}.txt`, import.meta.url));
  if (process.env['READING_UPDATE'] === '1') writeFileSync(file, `${log.join('\n')}\n`);
  assert.deepEqual(log, readFileSync(file, 'utf8').trimEnd().split('\n'));
}

/** Records what the live region of each widget says. */
const recordAnnouncements = (page: Page): Promise<void> =>
  page.evaluate(() => {
    globalThis.announcements = [];
    // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its element below
    const { attachShadow } = Element.prototype;
    Element.prototype.attachShadow = function attach(init) {
      const root = attachShadow.call(this, init);
      new MutationObserver((changes) => {
        const region = root.querySelector('[role=status]');
        if (region?.textContent && changes.some(({ target }) => region.contains(target)))
          globalThis.announcements.push(region.textContent);
      }).observe(root, { subtree: true, childList: true, characterData: true });
      return root;
    };
  });

const mountWidget = (page: Page, lang: string): Promise<void> =>
  page.evaluate(
    ([open, created, language]) => {
      globalThis.backendAnswer = open;
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
    },
    [checkoutWithoutInvoice, makePendingCheckout({ ...sbp, expires_in_ms: 240_000 }), lang] as const,
  );

const readFocus = (page: Page): Promise<string> =>
  page.locator('pay-invoice').evaluate(({ shadowRoot }) => {
    const focused = shadowRoot?.activeElement;
    if (focused instanceof HTMLInputElement) return focused.labels?.[0]?.textContent.trim() ?? '';
    return focused?.ariaLabel ?? focused?.getAttribute('title') ?? focused?.textContent.trim() ?? '';
  });

/** Advances the clock, and returns what is announced and focused at each second. */
async function listen(page: Page): Promise<{ readonly log: string[]; wait: (seconds: number) => Promise<void> }> {
  const log: string[] = [];
  let second = 0;
  let focus = '';
  const look = async (): Promise<void> => {
    const texts = await page.evaluate(() => globalThis.announcements.splice(0));
    for (const text of texts) log.push(`${second} s  says   ${text.replace(/[\s\u00a0]+/g, ' ').trim()}`);
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
    ['en', 'Pay by SBP', 'Check payment'],
    ['ru', 'Оплатить через СБП', 'Проверить оплату'],
  ] as const)
    it(`with a slow, lost and restored connection, and time over, is that of the snapshot in ${lang}`, async () => {
      const gallery = await GalleryPage.open(browser, server.url, { width: 390, isTouch: true });
      const { page } = gallery;
      await gallery.show('options', 'light', lang); // loads both files
      await recordAnnouncements(page);
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
      await gallery.close();
      assertHeard(`heard.${lang}`, log);
    });

  /** A state of the gallery, and what the payer then presses. */
  const states: readonly (readonly [state: string, pressed?: string])[] = [
    ['loading'],
    ['unreachable', '.main'],
    ['no-options', '.main'],
    ['lost'],
    ['refused'],
    ['mismatch'],
    ['amount-empty', '.main'],
    ['unknown'],
    ['no-answer'],
    ['qr', '[part=actions] button'],
    ['leaving'],
    ['copied'],
    ['copy-refused'],
    ['in-app'],
    ['qr-picture'],
    ['stale'],
    ['amount-check'],
    ['checking-confirm'],
    ['failed'],
    ['expired'],
    ['closed'],
    ['returning', '[part=actions] button'],
  ];
  for (const lang of ['en', 'ru'])
    it(`in the states of the gallery is that of the snapshot in ${lang}`, async () => {
      const gallery = await GalleryPage.open(browser, server.url, { width: 390, isTouch: true });
      const { page } = gallery;
      await recordAnnouncements(page);
      const log: string[] = [];
      for (const [state, pressed] of states) {
        await gallery.show(state, 'light', lang);
        const { log: heard, wait } = await listen(page);
        if (pressed) {
          heard.push(`       – presses ${pressed}`);
          await page.locator(`pay-invoice ${pressed}`).first().press('Enter');
        }
        await wait(3);
        log.push(`## ${state}`, ...heard);
      }
      await gallery.close();
      assertHeard(`heard-states.${lang}`, log);
    });
});
