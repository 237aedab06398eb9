import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { findHeading, shopAndBrowser, visit } from './visit-page.ts';

const { shop, browser } = await shopAndBrowser();

const playgroundUrl = (fragment = ''): string => `${shop.url}/demo/playground.html#${fragment}`;
const readCode = async (page: Page): Promise<string> => (await page.locator('#code').textContent()) ?? '';

describe('the playground', { timeout: 300_000 }, () => {
  it('applies the settings to the widget, the code and the address, and the address restores the settings', async () => {
    const { page, widget } = await visit(browser, playgroundUrl('state=failed'));
    await findHeading(widget, 'Payment failed').waitFor();
    await page.getByLabel('Theme', { exact: true }).selectOption('dark');
    for (const group of ['Custom properties', 'Slots', 'Wording']) await page.getByText(group, { exact: true }).click();
    await page.getByLabel('Radius of corners').fill('3px');
    await page.getByLabel('When it failed').fill('Call <us>');
    await page.getByLabel('“Payment received”').fill('Done "at" last');
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
    "paid.title": "Done \\"at\\" last"
  };
</script>
`;
    assert.equal(await readCode(page), code);
    const secondVisit = await visit(browser, page.url());
    await secondVisit.widget.getByText('Call <us>').waitFor();
    assert.equal(await secondVisit.widget.getAttribute('theme'), 'dark');
    assert.equal(await readCode(secondVisit.page), code);
    const radius = await secondVisit.widget.evaluate((element) =>
      getComputedStyle(element).getPropertyValue('--pay-invoice-radius'),
    );
    assert.equal(radius, '3px');
    await secondVisit.page.getByLabel('State', { exact: true }).selectOption('paid');
    await findHeading(secondVisit.widget, 'Done "at" last').waitFor();
  });

  it('begins with six brands: each sets the widget, the code and the fields, and keeps what is no look', async () => {
    const { page, widget } = await visit(browser, playgroundUrl('theme=dark'));
    const brands = page.getByRole('group', { name: 'Brands to begin with' }).getByRole('button');
    assert.equal(await brands.count(), 6);
    const accent = (): Promise<string> =>
      widget.evaluate((element) => getComputedStyle(element).getPropertyValue('--pay-invoice-accent'));
    await brands.getByText('Ink').click();
    await brands.getByText('Sun').click();
    assert.equal(await accent(), '#ffcc00');
    const code = await readCode(page);
    assert.match(code, /theme="dark"[^]*--pay-invoice-accent: #ffcc00;/);
    assert.doesNotMatch(code, /Georgia/, 'nothing of the brand before stays');
    assert.equal(await brands.and(page.locator('[aria-pressed=true]')).textContent(), 'Sun');
    assert.equal(await page.getByLabel('Accent', { exact: true }).inputValue(), '#ffcc00');
    const again = await visit(browser, page.url());
    await again.page.locator('#brands [aria-pressed=true]', { hasText: 'Sun' }).waitFor();
    await brands.getByText('Blue').click();
    assert.equal(await accent(), '');
  });

  it('shows the code of a backend with the amount and the currency that are set, and copies it with one button', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, widget } = await visit(browser, playgroundUrl(), { permissions });
    await page.getByLabel('Amount', { exact: true }).fill('990.50');
    await page.getByLabel('Amount', { exact: true }).press('Tab');
    await page.getByLabel('Currency').selectOption('USD');
    await widget.getByText('$990.50').first().waitFor();
    for (const [file, codeOfFile] of [
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
      const copiedCode = await page.evaluate(() => navigator.clipboard.readText());
      assert.equal(copiedCode, await page.locator('#backend-code').textContent());
      assert.ok(copiedCode.includes(codeOfFile), file);
    }
  });

  it('rejects invalid values, whether they are typed or come from the address', async () => {
    const { page } = await visit(browser, playgroundUrl('--pay-invoice-accent=red}x{&width=12&theme=pink'));
    await page.locator('pay-invoice').waitFor();
    await page.getByText('Custom properties', { exact: true }).click();
    const field = page.getByRole('textbox', { name: 'Accent', exact: true });
    assert.equal(await field.inputValue(), '');
    await field.fill('nocolour');
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    assert.doesNotMatch(await readCode(page), /accent|width|pink|theme/);
  });

  it('shows every setting in full and in the page’s language', async () => {
    const { page, widget } = await visit(browser, playgroundUrl(), { locale: 'ru-RU' });
    await widget.getByRole('radio').first().waitFor();
    for (const group of ['Свойства CSS', 'Слоты', 'Тексты']) await page.getByText(group, { exact: true }).click();
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const truncatedControls = await page.evaluate(() => {
        const canvas = document.createElement('canvas').getContext('2d');
        const isTruncated = (select: HTMLSelectElement): boolean => {
          if (canvas !== null) canvas.font = getComputedStyle(select).font;
          const texts = [...select.options].map(({ text }) => canvas?.measureText(text).width ?? Infinity);
          return Math.max(...texts) > select.clientWidth - 40; // the padding and the arrow
        };
        const selects = [...document.querySelectorAll<HTMLSelectElement>('#controls select')].filter(isTruncated);
        const form = document.querySelector('#controls');
        return [...selects.map(({ id }) => id), ...(form && form.scrollHeight > form.clientHeight ? ['the form'] : [])];
      });
      assert.deepEqual(truncatedControls, [], `at ${width}`);
    }
    const labels = await page.locator('#controls label').allTextContents();
    assert.deepEqual(
      labels.filter((label) => !/[а-яё]/i.test(label)),
      [],
    );
  });

  for (const colorScheme of ['light', 'dark'] as const)
    it(`has no axe violation and no sideways scrolling at any width in the ${colorScheme} theme`, async () => {
      const { page, widget } = await visit(browser, playgroundUrl(), { bypassCSP: true, colorScheme });
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
    });
});
