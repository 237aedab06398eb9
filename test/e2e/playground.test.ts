import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { shopAndBrowser } from './shop-and-browser.ts';
import { choose, copyButton, heading, visit } from './visit-page.ts';

const { shop, browser } = await shopAndBrowser();

const playground = (fragment = ''): string => `${shop.url}/demo/playground.html#${fragment}`;
const codeOf = async (page: Page): Promise<string> => (await page.locator('#code').textContent()) ?? '';

describe('the playground', { timeout: 300_000 }, () => {
  it('completes a payment under the strict policy', async () => {
    const { context, page, widget, complaints } = await visit(browser, playground());
    await choose(widget, 'Карта');
    await copyButton(widget, 'Card number').waitFor();
    await page.getByRole('button', { name: 'Pay it' }).click();
    await heading(widget, 'Paid').waitFor();
    assert.deepEqual(complaints, []);
    await context.close();
  });

  it('applies the settings to the widget, the code and the address, which restores them', async () => {
    const { context, page, widget } = await visit(browser, playground('state=failed'));
    await heading(widget, 'Payment failed').waitFor();
    await page.getByLabel('Theme', { exact: true }).selectOption('dark');
    for (const group of ['Custom properties', 'Slots', 'Wording']) await page.getByText(group, { exact: true }).click();
    await page.getByLabel('Radius of corners').fill('3px');
    await page.getByLabel('When it failed').fill('Call <us>');
    await page.getByLabel('“Paid”').fill('Done "at" last');
    const code = `<script type="module" src="/pay-invoice.js"></script>

<pay-invoice endpoint="/checkout" checkout="chk_…" theme="dark">
  <p slot="failed">Call &lt;us&gt;</p>
</pay-invoice>

<style>
  pay-invoice {
    --pay-invoice-radius: 3px;
  }
</style>

<script type="module">
  document.querySelector('pay-invoice').messages = {
    "paid": "Done \\"at\\" last"
  };
</script>
`;
    assert.equal(await codeOf(page), code);
    const shared = await visit(browser, page.url());
    await shared.widget.getByText('Call <us>').waitFor();
    assert.equal(await shared.widget.getAttribute('theme'), 'dark');
    assert.equal(await codeOf(shared.page), code);
    const radius = await shared.widget.evaluate((element) =>
      getComputedStyle(element).getPropertyValue('--pay-invoice-radius'),
    );
    assert.equal(radius, '3px');
    await shared.page.getByLabel('State', { exact: true }).selectOption('paid');
    await heading(shared.widget, 'Done "at" last').waitFor();
    await Promise.all([context.close(), shared.context.close()]);
  });

  it('shows the code of a backend for the order that is set, and copies it with one button', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { context, page, widget } = await visit(browser, playground(), { permissions });
    await page.getByLabel('Amount', { exact: true }).fill('990.50');
    await page.getByLabel('Amount', { exact: true }).press('Tab');
    await page.getByLabel('Currency').selectOption('USD');
    await widget.getByText('$990.50').first().waitFor();
    for (const [file, words] of [
      ['Node.js', 'createCheckoutServer('],
      ['PHP: shop.php', 'function create_checkout('],
      ['PHP: outcomes.php', 'hash_equals('],
      ['Python: shop.py', 'def create_checkout('],
      ['Python: outcomes.py', 'hmac.compare_digest('],
      ['curl', '"amount": "990.50", "currency": "USD"'],
    ] as const) {
      await page.getByLabel('Language and file').selectOption(file);
      await page.getByRole('button', { name: 'Copy the backend' }).click();
      await page.locator('#copied-backend-code', { hasText: 'Copied' }).waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      assert.equal(copied, await page.locator('#backend-code').textContent());
      assert.ok(copied.includes(words), file);
    }
    await context.close();
  });

  it('rejects values that are not valid CSS, also from the address', async () => {
    const { context, page } = await visit(browser, playground('--pay-invoice-accent=red}x{&width=12&theme=pink'));
    await page.locator('pay-invoice').waitFor();
    await page.getByText('Custom properties', { exact: true }).click();
    const field = page.getByRole('textbox', { name: 'Accent', exact: true });
    assert.equal(await field.inputValue(), '');
    await field.fill('nocolour');
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    assert.doesNotMatch(await codeOf(page), /accent|width|pink|theme/);
    await context.close();
  });

  it('shows every setting in full and in the page’s language', async () => {
    const { context, page, widget } = await visit(browser, playground(), { locale: 'ru-RU' });
    await widget.getByRole('radio').first().waitFor();
    for (const group of ['Свойства CSS', 'Слоты', 'Тексты']) await page.getByText(group, { exact: true }).click();
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const cut = await page.evaluate(() => {
        const pen = document.createElement('canvas').getContext('2d');
        const isCut = (select: HTMLSelectElement): boolean => {
          if (pen !== null) pen.font = getComputedStyle(select).font;
          const texts = [...select.options].map(({ text }) => pen?.measureText(text).width ?? Infinity);
          return Math.max(...texts) > select.clientWidth - 40; // the padding and the arrow
        };
        const selects = [...document.querySelectorAll<HTMLSelectElement>('#controls select')].filter(isCut);
        const form = document.querySelector('#controls');
        return [...selects.map(({ id }) => id), ...(form && form.scrollHeight > form.clientHeight ? ['the form'] : [])];
      });
      assert.deepEqual(cut, [], `at ${width}`);
    }
    const labels = await page.locator('#controls label').allTextContents();
    assert.deepEqual(
      labels.filter((label) => !/[а-яё]/i.test(label)),
      [],
    );
    await context.close();
  });

  for (const colorScheme of ['light', 'dark'] as const)
    it(`is accessible and scrolls in one direction at each width: ${colorScheme}`, async () => {
      const { context, page, widget } = await visit(browser, playground(), { bypassCSP: true, colorScheme });
      await widget.getByRole('radio').first().waitFor();
      await page.evaluate(axe.source);
      for (const width of [320, 768, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, `at ${width}`);
        const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
        assert.deepEqual(
          violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
          [],
        );
      }
      await context.close();
    });
});
