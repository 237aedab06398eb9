import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { links, pending, sbp } from '../../demo/gallery-checkouts.ts';
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
