import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { firefoxAndWebKit, type BrowserTab } from '../support/firefox-and-webkit.ts';
import { ExampleServerProcess } from '../support/example-server-process.ts';
import { scan } from './scan-qr.ts';
import { states } from '../../demo/gallery-states.ts';

let shop: ExampleServerProcess;

before(async () => {
  shop = await ExampleServerProcess.start();
});

after(async () => {
  await shop.stop();
});

const widget = `document.querySelector('pay-invoice')?.shadowRoot`;

/** An expression for the first element in `root` that matches the selector and the text. */
const first = (root: string, selector: string, text: RegExp): string =>
  `[...(${root}?.querySelectorAll('${selector}') ?? [])].find((one) => ${String(text)}.test(one.textContent))`;

/** The value of an expression in the page, once it is neither null, undefined nor false. */
async function appears(browser: BrowserTab, expression: string): Promise<unknown> {
  const end = performance.now() + 60_000;
  while (performance.now() < end) {
    const found = await browser.evaluate(expression);
    if (found !== null && found !== undefined && found !== false) return found;
    await delay(50);
  }
  throw new Error(`waited in vain for ${expression}\n${String(await browser.evaluate('document.body.innerText'))}`);
}

async function click(browser: BrowserTab, element: string): Promise<void> {
  await appears(browser, `!!(${element})`);
  await browser.click(element);
}

describe('a strict policy with Trusted Types', { timeout: 300_000 }, () => {
  for (const [name, launch] of Object.entries(firefoxAndWebKit()))
    it(`is kept in every state in ${name}`, { skip: launch ? false : 'NOT INSTALLED' }, async (t) => {
      const browser = await launch?.();
      assert.ok(browser);
      t.after(() => browser.close());
      const gallery = `${shop.url}/demo/gallery.html`;
      const policy = (await fetch(gallery)).headers.get('content-security-policy') ?? '';
      assert.match(policy, /style-src 'self'.*require-trusted-types-for 'script'/);
      assert.doesNotMatch(policy, /unsafe/);
      await browser.goto(`${gallery}#state=loading`);
      await appears(browser, `!!${widget}?.querySelector('h2')`);
      const violations = 'globalThis.refused';
      await browser.evaluate(`void (${violations} = [])`);
      await browser.evaluate(
        `document.addEventListener('securitypolicyviolation', (event) => ${violations}.push(event.violatedDirective + ' ' + event.sample))`,
      );
      for (const state of Object.keys(states).filter((key) => key !== 'loading')) {
        await browser.evaluate(`void (location.hash = 'state=${state}&lang=en')`);
        await appears(
          browser,
          `${widget}?.querySelector('[part=base]')?.lang === 'en' && !!${widget}.querySelector('h3, .note')`,
        );
        if (state === 'qr') await appears(browser, `!!${widget}.querySelector('svg[part=qr]')`);
        assert.deepEqual(await browser.evaluate(violations), [], state);
      }
      await browser.evaluate(`document.body.setAttribute('style', 'color: red')`);
      await appears(browser, `/^style-src/.test(${violations}[0])`);
    });
});

describe('a purchase', { timeout: 300_000 }, () => {
  for (const [name, launch] of Object.entries(firefoxAndWebKit()))
    it(`goes from the cart to paid by the QR in ${name}`, { skip: launch ? false : 'NOT INSTALLED' }, async (t) => {
      const browser = await launch?.();
      assert.ok(browser);
      t.after(() => browser.close());

      await browser.goto(shop.url);
      await click(browser, first('document', 'button', /\+|Add|Добавить/));
      await click(browser, first('document', 'button', /Place the order|Оформить заказ/));
      await click(browser, first(widget, 'label', /SBP|СБП/));
      await click(browser, `${widget}?.querySelector('[part=continue]:enabled')`);
      const address = String(await appears(browser, `${widget}?.querySelector('[part=qr-link]')?.href`));
      await appears(browser, `!!${widget}?.querySelector('svg[part=qr]')`);
      await browser.evaluate(`void ${widget}.querySelector('svg[part=qr]').scrollIntoView({ block: 'center' })`);
      assert.equal(scan(await browser.screenshot()), address);

      const order = String(await browser.evaluate('location.href'));
      await browser.goto(address);
      await click(browser, first('document', 'button', /Pay|Оплатить/));
      await appears(browser, `!${first('document', 'button', /Pay|Оплатить/)}`);
      await browser.goto(order);
      await appears(browser, `!!(${first(widget, 'h3', /^(Paid|Оплачено)$/)})`);
      await appears(browser, `/this order is paid|заказ оплачен/.test(document.body.innerText)`);
    });
});
