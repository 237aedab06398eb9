import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ended, links, pending, sbp } from '../../demo/gallery-checkouts.ts';
import type { Checkout } from '../../src/protocol.ts';
import { until } from '../support/wait-until.ts';
import {
  choosing,
  hydrated,
  isUpdated,
  phone,
  startRenderedPages,
  waiting,
  type RenderedPages,
} from './server-rendered-page.ts';

let pages: RenderedPages;

/** Whether the frame on the screen is the very one that came from the server, and the only one. */
function kept(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const frames = document.querySelector('pay-invoice')?.shadowRoot?.querySelectorAll('[part=base]');
    return frames?.length === 1 && frames[0] === (globalThis as { before?: unknown }).before;
  });
}

before(async () => {
  pages = await startRenderedPages();
});

after(() => pages.close());

describe('a checkout that a server has rendered', { timeout: 300_000 }, () => {
  it('shows the options before any script has run', async () => {
    const { widget, close } = await pages.open({ initial: choosing, held: true });
    await widget.getByRole('heading', { name: /1.500/ }).waitFor();
    assert.equal(await widget.getByRole('radio').count(), choosing.options.length);
    assert.ok(await widget.getByRole('radio', { name: /SBP|СБП/ }).isChecked());
    await widget.getByRole('button', { name: 'Продолжить' }).waitFor();
    await close();
  });

  it('shows the requisites and the time left before any script has run', async () => {
    const { widget, close } = await pages.open({ initial: waiting, held: true });
    const numbers = (await widget.locator('[part=value]').allTextContents()).join(' ').replace(/\D/g, '');
    assert.ok(numbers.includes((waiting.invoice?.sbp?.phone ?? '').replace(/\D/g, '')), numbers);
    assert.equal(await widget.getByRole('timer').textContent(), '14:32');
    await close();
  });

  it('counts on from the time that the server has rendered, and corrects it by the first response', async () => {
    const response = pending({ ...sbp, ...links, expires_in_ms: 300_000 }, { server_time: '2026-11-20T10:09:32.000Z' });
    const prepare = async ({ clock }: Page): Promise<void> => {
      await clock.install({ time: 0 });
      await clock.pauseAt(1000);
    };
    const { page, widget, close } = await pages.open({ initial: waiting, response, prepare });
    const timer = widget.getByRole('timer');
    await isUpdated(page);
    assert.equal(await timer.textContent(), '14:32');
    await page.clock.runFor(5000);
    assert.equal(await timer.textContent(), '14:27');
    await page.clock.runFor(waiting.poll_after_ms);
    await timer.filter({ hasText: /^(5:00|4:5\d)$/ }).waitFor();
    await close();
  });

  for (const lang of ['ru', 'en'])
    for (const [name, initial] of [
      ['options', choosing],
      ['requisites', waiting],
    ] as const)
      for (const isPhone of [false, true])
        it(`is hydrated without replacing a node and without a request: ${name}, ${lang}, ${isPhone ? 'phone' : 'desktop'}`, async () => {
          const { page, complaints, close } = await pages.open({ initial, lang, context: isPhone ? phone : {} });
          await hydrated(page);
          assert.equal(await kept(page), true);
          assert.deepEqual(complaints, []);
          assert.deepEqual(pages.requested(), []);
          await close();
        });

  it('works after hydration: a click creates an invoice and shows its requisites', async () => {
    const { page, widget, close } = await pages.open({ initial: choosing, lang: 'en' });
    await hydrated(page);
    await widget.getByRole('button', { name: 'Continue', exact: true }).click();
    await widget.locator('[part=requisites]').waitFor();
    assert.deepEqual(pages.requested(), ['POST /checkout/chk_gallery/invoice']);
    assert.equal(await kept(page), true);
    await close();
  });

  it('shows the link before the QR on a phone after hydration', async () => {
    const { page, widget, close } = await pages.open({ initial: waiting, lang: 'en', context: phone });
    await hydrated(page);
    await widget.locator('a.main').first().waitFor();
    await close();
  });

  it('is replaced and not duplicated where the page does not hydrate', async () => {
    const { page, widget, complaints, close } = await pages.open({ initial: choosing, script: 'plain' });
    await hydrated(page);
    await widget.getByRole('radio').first().waitFor();
    assert.equal(await widget.locator('[part=base]').count(), 1);
    assert.equal(await kept(page), false);
    assert.deepEqual(complaints, []);
    await close();
  });
});

describe('a checkout that a server has rendered and that goes on by itself', { timeout: 60_000 }, () => {
  /** Resolves when the file of `auto-continue` and `return-after` is loaded, and the element has rendered with it. */
  async function stepsLoaded(page: Page): Promise<void> {
    await until('the file is loaded', () =>
      page.evaluate(() =>
        performance.getEntriesByType('resource').some(({ name }) => name.includes('automatic-steps')),
      ),
    );
    await page.evaluate(async () => {
      const [file] = performance.getEntriesByType('resource').filter(({ name }) => name.includes('automatic-steps'));
      await import(file?.name ?? '');
      await Reflect.get(document.querySelector('pay-invoice') ?? {}, 'updateComplete');
    });
  }

  it('requests an invoice once where one method can be used, and keeps the server’s nodes', async () => {
    const initial: Checkout = { ...choosing, options: choosing.options.slice(0, 1) };
    const { page, widget, complaints, close } = await pages.open({ initial, lang: 'en', autoContinue: true });
    await widget.locator('[part=requisites]').waitFor();
    assert.deepEqual(pages.requested(), ['POST /checkout/chk_gallery/invoice']);
    assert.equal(await kept(page), true);
    assert.deepEqual(complaints, []);
    await close();
  });

  it('requests nothing for an invoice that waits already, also when the payer goes back to the methods', async () => {
    const { page, widget, close } = await pages.open({ initial: waiting, lang: 'en', autoContinue: true });
    await stepsLoaded(page);
    await widget.getByRole('button', { name: 'Another payment method' }).click();
    await widget.getByRole('strong').filter({ hasText: 'Do not pay twice' }).waitFor();
    assert.ok(!pages.requested().some((request) => request.startsWith('POST')), pages.requested().join());
    await close();
  });

  it('goes to the success URL after the countdown, and stays when the payer comes back', async () => {
    const prepare = (page: Page): Promise<void> =>
      page
        .route('https://shop.example/**', (route) => route.fulfill({ body: 'Thanks', contentType: 'text/html' }))
        .then(() => undefined);
    const { page, widget, close } = await pages.open({ initial: ended('paid'), lang: 'en', returnAfter: 1, prepare });
    await page.waitForURL('https://shop.example/thanks');
    await page.goBack();
    await stepsLoaded(page);
    await widget.getByRole('link', { name: 'Back to the shop' }).waitFor();
    assert.equal(await widget.getByText(/^Back to the shop in \d+ s\.$/).count(), 0);
    assert.match(page.url(), /\/page-\d+$/);
    await close();
  });
});
