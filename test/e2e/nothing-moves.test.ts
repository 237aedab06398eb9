// From the first placeholder to "paid" nothing moves that the payer reads, scans, copies or presses, unless the payer acts; and
// the task is seen without scrolling.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import {
  checkoutWithoutInvoice,
  links,
  makeEndedCheckout,
  makePendingCheckout,
  sbp,
} from '../../demo/gallery-checkouts.ts';
import { states } from '../../demo/gallery-states.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import { countAnimations } from '../budgets/counted-visit.ts';
import { drawFrame } from '../support/draw-frame.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { GalleryPage, serveGalleryPage } from '../visual/gallery-page.ts';
import { openForFile } from '../support/open-for-file.ts';

declare global {
  /** What the backend answers now, in a second; an undefined answer is a lost connection. */
  var answer: Checkout | undefined;
  /** When the invoice ends, on the page's clock; an answer has the time left until then. */
  var endsAt: number;
  /** What has moved by itself, with its old and its new place. */
  var shifts: string[];
}

/** A layout shift, which TypeScript does not know. */
interface LayoutShift extends PerformanceEntry {
  readonly sources: readonly { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
}

const browser = await openForFile(launchChromium());
const server = await openForFile(serveGalleryPage());

const hourMs = 3_600_000;
const devices = [
  { width: 390, height: 664, isTouch: true },
  { width: 1280, height: 900, isTouch: false },
];
const smallPhone = { width: 320, height: 568, isTouch: true };

async function openGallery({ width, height, isTouch }: (typeof devices)[number]): Promise<GalleryPage> {
  const gallery = await GalleryPage.open(browser, server.url, { width, isTouch });
  await gallery.page.setViewportSize({ width, height });
  return gallery;
}

/** Mounts a widget in the `open` checkout, whose invoice is `created`. */
async function mountWidget(page: Page, created: Checkout, lang: string): Promise<void> {
  await page.evaluate(
    ([open, pending, language, lifeMs]) => {
      globalThis.answer = open;
      globalThis.endsAt = Infinity;
      const pause = (seconds: number): Promise<unknown> =>
        new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      const widget: PayInvoiceElement = Object.assign(document.createElement('pay-invoice'), { lang: language });
      widget.transport = {
        async read({ waitSeconds = 0 }) {
          await pause(globalThis.answer ? Math.max(1, waitSeconds) : 0);
          if (!globalThis.answer) throw new TypeError('no connection');
          const { invoice } = globalThis.answer;
          const leftMs = Math.max(0, globalThis.endsAt - performance.now());
          const checkout = { ...globalThis.answer, invoice: invoice && { ...invoice, expires_in_ms: leftMs } };
          return { kind: 'checkout', checkout, etag: undefined };
        },
        async createInvoice() {
          await pause(2);
          globalThis.answer = pending;
          globalThis.endsAt = performance.now() + lifeMs;
          return { kind: 'created', checkout: pending };
        },
      };
      document.body.replaceChildren(widget);
    },
    [checkoutWithoutInvoice, created, lang, hourMs] as const,
  );
}

/** Records from now on what moves by itself, with its old and its new place. */
const observeShifts = (page: Page): Promise<void> =>
  page.evaluate(() => {
    globalThis.shifts = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as LayoutShift[])
        for (const { node, previousRect: from, currentRect: to } of entry.sources)
          globalThis.shifts.push([node?.textContent?.trim(), from.x, from.y, to.x, to.y].join(' '));
    }).observe({ type: 'layout-shift' });
  });

/** The places of all elements that match, each as x, y, width and height. */
const readPlaces = (page: Page, selector: string): Promise<readonly string[]> =>
  page.locator('pay-invoice').evaluate(
    ({ shadowRoot }, selected) =>
      [...(shadowRoot?.querySelectorAll(selected) ?? [])].map((one) => {
        const { x, y, width, height } = one.getBoundingClientRect();
        return `${one.getAttribute('part') ?? one.localName} ${[x, y, width, height].join(' ')}`;
      }),
    selector,
  );

/** All that the payer scans, copies and presses while a payment is awaited. */
const task = '[part=header], [part=title], .paper, [part=requisite], .status, .screen a, button';

const countMainButtons = (page: Page): Promise<number> => page.locator('pay-invoice .main').count();

/** Advances the page's clock until an element has this text. */
async function waitForText(page: Page, selector: string, text: RegExp): Promise<void> {
  const elements = page.locator('pay-invoice').locator(selector);
  for (let seconds = 0; seconds < 200; seconds += 1) {
    if (text.test((await elements.allTextContents()).join())) return;
    await page.clock.runFor(1000);
    await drawFrame(page);
  }
  assert.fail(`no ${selector} with ${String(text)}`);
}

describe('a checkout', { timeout: 300_000 }, () => {
  for (const [kind, requisites, kindDevices] of [
    ['requisites', sbp, devices],
    ['a QR code', links, devices],
    ['both', { ...sbp, ...links }, [smallPhone, ...devices]],
  ] as const)
    for (const device of kindDevices)
      for (const [lang, slow, lost] of [
        ['ru', /Уже оплатили/, /Связь прервалась/],
        ['en', /Have you paid/, /connection was lost/],
      ] as const)
        it(`moves nothing from the first placeholder to "paid": ${kind}, ${device.width} px, ${lang}`, async () => {
          const gallery = await openGallery(device);
          const { page } = gallery;
          // The gallery loads the widget with its first state.
          await gallery.show('options', 'light', lang);
          const pending = makePendingCheckout({ ...requisites, expires_in_ms: hourMs });
          await mountWidget(page, pending, lang);
          const header = async (): Promise<string> => {
            assert.ok((await countMainButtons(page)) <= 1);
            return (await readPlaces(page, '[part=header]')).join().replace(/ \S+$/, device.isTouch ? '$&' : '');
          };
          await page.locator('pay-invoice .skeleton').first().waitFor();
          const loadingPlace = await header();
          await waitForText(page, '[part=continue]', /./);
          const headerPlace = await header();
          // The place of one line is kept for the description, which takes two on a small phone.
          if (device !== smallPhone) assert.equal(headerPlace, loadingPlace);

          await page.locator('pay-invoice [part=continue]').click();
          await page.locator('pay-invoice [part=outcome] .spinner').waitFor();
          assert.equal(await header(), headerPlace);
          await waitForText(page, '.tail', /./);
          assert.equal(await header(), headerPlace);

          await observeShifts(page);
          const places = await readPlaces(page, task);
          await waitForText(page, '.status', slow);
          assert.deepEqual(await readPlaces(page, task), places);
          await page.evaluate(() => (globalThis.answer = undefined));
          await waitForText(page, '.status', lost);
          assert.deepEqual(await readPlaces(page, task), places);
          await page.evaluate((restored) => (globalThis.answer = restored), pending);
          await waitForText(page, '.status', slow);
          assert.deepEqual(await readPlaces(page, task), places);
          for (let minute = 0; minute < 50; minute += 5) {
            await page.clock.runFor(300_000);
            await drawFrame(page);
          }
          assert.deepEqual(await readPlaces(page, task), places);
          assert.deepEqual(await page.evaluate(() => globalThis.shifts), []);

          for (let minute = 0; (await page.locator('pay-invoice [part=outcome] .spinner').count()) === 0; minute += 1) {
            assert.ok(minute < 20, 'the time is not over');
            await page.clock.runFor(60_000);
          }
          assert.equal(await header(), headerPlace);
          await page.evaluate((paid) => (globalThis.answer = paid), makeEndedCheckout('paid'));
          await waitForText(page, '[part=title]', /Деньги получены|Payment received/);
          assert.equal(await header(), headerPlace);
          await gallery.close();
        });

  it('moves nothing when no app opens after a press on its link, and spins for at most a minute after the return from one', async () => {
    for (const device of [smallPhone, ...devices.filter(({ isTouch }) => isTouch)])
      for (const lang of ['ru', 'en']) {
        const gallery = await openGallery(device);
        const { page } = gallery;
        await gallery.show('qr-sbp', 'light', lang);
        const link = page.locator('pay-invoice [part=qr-link]');
        await link.evaluate((one) => one.addEventListener('click', (event) => event.preventDefault()));
        await link.click();
        await page.clock.runFor(1000);
        assert.equal(await page.locator('pay-invoice .bar .main, pay-invoice .status.awaited').count(), 2);
        await observeShifts(page);
        const shown = await readPlaces(page, '[part=header], .screen > :not(.place), .screen a, .bar, .bar *');
        await page.clock.runFor(3000);
        await page.locator('pay-invoice .note').waitFor();
        assert.deepEqual(
          await readPlaces(page, '[part=header], .screen > :not(.place), .screen a, .bar, .bar *'),
          shown,
        );
        assert.deepEqual(await page.evaluate(() => globalThis.shifts), []);
        assert.equal(await page.locator('pay-invoice .bar .main, pay-invoice .awaited').count(), 0);

        await link.click();
        await page.evaluate(() => window.dispatchEvent(new Event('focus')));
        await page.clock.runFor(55_000);
        assert.equal(await page.locator('pay-invoice .note, pay-invoice .place').count(), 0);
        assert.equal(await page.locator('pay-invoice .awaited').count(), 1);
        await page.clock.runFor(6000);
        assert.equal(await page.locator('pay-invoice .awaited').count(), 0);
        assert.match((await page.locator('pay-invoice .status').textContent()) ?? '', /банка|bank/);
        await gallery.close();
      }
  });

  it('has at most two buttons over its whole width where the money is transferred', async () => {
    for (const device of devices) {
      const gallery = await openGallery(device);
      const { page } = gallery;
      for (const name of ['sbp', 'sbp-page', 'card', 'transfer', 'copied', 'days', 'long']) {
        await gallery.show(name, 'light', 'ru');
        const names = await page.locator('pay-invoice').evaluate(({ shadowRoot }) => {
          const widthOf = (one: Element): number => one.getBoundingClientRect().width;
          const column = shadowRoot?.querySelector('[part=requisites]');
          const least =
            Math.min(...[...(shadowRoot?.querySelectorAll('.bar, [part=requisites]') ?? [])].map(widthOf)) * 0.7;
          return column
            ? [...(shadowRoot?.querySelectorAll('button, a') ?? [])]
                .filter((one) => widthOf(one) > least)
                .map((one) => one.textContent.trim())
            : [];
        });
        assert.equal(names.length, 2, `${name}: ${names.join()}`);
      }
      await gallery.close();
    }
  });

  for (const device of devices)
    for (const lang of ['ru', 'en'])
      it(`shows what to do without scrolling, one main button, and no motion where it is reduced: ${device.width} × ${device.height}, ${lang}`, async () => {
        const gallery = await openGallery(device);
        const { page } = gallery;
        const defects: string[] = [];
        let waiting = 0;
        for (const name of Object.keys(states).filter((state) => !state.startsWith('hostile'))) {
          await gallery.show(name, 'light', lang);
          if ((await countMainButtons(page)) > 1) defects.push(`${name}: several main buttons`);
          if ((await countAnimations(page)) > 0) defects.push(`${name}: an animation`);
          if ((await page.locator('pay-invoice .tail').count()) === 0) continue;
          waiting += 1;
          const box = await page
            .locator('pay-invoice')
            .locator('.main, .paper, [part=requisite]')
            .first()
            .boundingBox();
          const bottom = box ? box.y + box.height : Infinity;
          if (bottom > device.height) defects.push(`${name}: ${bottom}`);
        }
        assert.deepEqual(defects, []);
        assert.ok(waiting > 15);
        await gallery.close();
      });
});
