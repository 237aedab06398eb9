import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { firefoxAndWebKitLaunchers, type BrowserTab } from '../support/firefox-and-webkit.ts';
import { ExampleServerProcess } from '../support/example-server-process.ts';
import { scan } from './scan-qr.ts';
import { states } from '../../demo/gallery-states.ts';

const shop = await ExampleServerProcess.start();
after(() => shop.stop());

const widgetRoot = `document.querySelector('pay-invoice')?.shadowRoot`;

/** An expression for the first element in `root` that matches the selector and the text. */
const firstElement = (root: string, selector: string, text: RegExp): string =>
  `[...(${root}?.querySelectorAll('${selector}') ?? [])].find((one) => ${String(text)}.test(one.textContent))`;

/** Waits until an expression in the page is neither null, undefined nor false. Returns its value. */
async function waitForValue(browser: BrowserTab, expression: string): Promise<unknown> {
  const end = performance.now() + 60_000;
  while (performance.now() < end) {
    const value = await browser.evaluate(expression);
    if (value !== null && value !== undefined && value !== false) return value;
    await delay(50);
  }
  const texts = `[document.body.innerText, document.querySelector('pay-invoice')?.state?.status, ${widgetRoot}?.textContent].join('\\n')`;
  throw new Error(`waited in vain for ${expression}\n${String(await browser.evaluate(texts))}`);
}

async function clickElement(browser: BrowserTab, element: string): Promise<void> {
  await waitForValue(browser, `!!(${element})`);
  await browser.click(element);
}

for (const [name, launch] of Object.entries(firefoxAndWebKitLaunchers()))
  describe(`the demo in ${name}`, { skip: launch ? false : 'NOT INSTALLED', timeout: 300_000 }, () => {
    let browser: BrowserTab;
    beforeEach(async () => {
      assert.ok(launch);
      browser = await launch();
    });
    afterEach(() => browser.close());

    it('violates a strict policy with Trusted Types in no state of the gallery, and a violation would be reported', async () => {
      const gallery = `${shop.url}/demo/gallery.html`;
      const policy = (await fetch(gallery)).headers.get('content-security-policy') ?? '';
      assert.match(policy, /style-src 'self'.*require-trusted-types-for 'script'/);
      assert.doesNotMatch(policy, /unsafe/);
      await browser.goto(`${gallery}#state=loading`);
      await waitForValue(browser, `!!${widgetRoot}?.querySelector('h2')`);
      const violations = 'globalThis.refused';
      await browser.evaluate(`void (${violations} = [])`);
      await browser.evaluate(
        `document.addEventListener('securitypolicyviolation', (event) => ${violations}.push(event.violatedDirective + ' ' + event.sample))`,
      );
      for (const state of Object.keys(states).filter((key) => key !== 'loading')) {
        await browser.evaluate(`void (location.hash = 'state=${state}&lang=en')`);
        await waitForValue(
          browser,
          `${widgetRoot}?.querySelector('[part=base]')?.lang === 'en' && !!${widgetRoot}.querySelector('h3, .note')`,
        );
        if (state === 'qr') await waitForValue(browser, `!!${widgetRoot}.querySelector('canvas[part=qr]')`);
        assert.deepEqual(await browser.evaluate(violations), [], state);
      }
      await browser.evaluate(`document.body.setAttribute('style', 'color: red')`);
      await waitForValue(browser, `/^style-src/.test(${violations}[0])`);
    });

    it('leads from the cart to a paid order through the address of the QR', async () => {
      await browser.goto(`${shop.url}/#goods`);
      await clickElement(browser, firstElement('document', 'button', /\+|Add|Добавить/));
      await clickElement(browser, firstElement('document', 'button', /Place the order|Оформить заказ/));
      await clickElement(browser, firstElement(widgetRoot, 'label', /SBP|СБП/));
      await clickElement(browser, `${widgetRoot}?.querySelector('[part=continue]:enabled')`);
      const address = String(await waitForValue(browser, `${widgetRoot}?.querySelector('[part=qr-link]')?.href`));
      await waitForValue(browser, `!!${widgetRoot}?.querySelector('canvas[part=qr]')`);
      await browser.evaluate(`void ${widgetRoot}.querySelector('canvas[part=qr]').scrollIntoView({ block: 'center' })`);
      assert.equal(scan(await browser.screenshot()), address);

      const order = String(await browser.evaluate('location.href'));
      await browser.goto(address);
      await clickElement(browser, firstElement('document', 'button', /Pay|Оплатить/));
      await waitForValue(browser, `!${firstElement('document', 'button', /Pay|Оплатить/)}`);
      await browser.goto(order);
      await waitForValue(browser, `!!(${firstElement(widgetRoot, 'h3', /^(Payment received|Деньги получены)$/)})`);
      await waitForValue(browser, `/this order is paid|заказ оплачен/.test(document.body.innerText)`);
    });

    it('shows a focus ring on a method that is chosen by an arrow key', async () => {
      await browser.goto(`${shop.url}/demo/gallery.html#state=options&lang=en`);
      const chosen = `${widgetRoot}?.querySelector(':checked')`;
      await clickElement(browser, `${widgetRoot}?.querySelector('[part=method]')`);
      await browser.pressArrowDown(chosen);
      await waitForValue(browser, `${chosen}.getAttribute('aria-labelledby') === 'm1'`);
      const outline = `getComputedStyle(${chosen}.closest('label')).outline`;
      assert.match(String(await browser.evaluate(outline)), /solid 3px|3px solid/);
    });
  });
