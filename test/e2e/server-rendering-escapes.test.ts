import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Checkout } from '../../src/checkout-api.ts';
import {
  card,
  links,
  checkoutWithoutInvoice,
  makePendingCheckout,
  sbp,
  transfer,
} from '../../demo/gallery-checkouts.ts';
import { waitForHydration, startRenderedPages } from './server-rendered-page.ts';
import { openForFile } from '../support/open-for-file.ts';

const pages = await openForFile(startRenderedPages());

/** A text that closes any markup around it, and then runs a script. */
const createAttack = (script: string): string =>
  `"'>--><!--></style></template></noscript></script></textarea><script>${script}</script><img src=x onerror="${script}">`;
const hostile = createAttack('globalThis.hacked=true');

/** The text without the characters that no link may contain. */
const withoutForbiddenCharacters = (text: string): string => text.replaceAll(' ', '/').replaceAll('\\', '');

/** Creates a checkout in which the text stands for each value of the service. */
type CheckoutWithText = (text: string) => Checkout;

const optionsWithText: CheckoutWithText = (text) => ({
  ...checkoutWithoutInvoice,
  description: text,
  currency: checkoutWithoutInvoice.currency,
  poll_after_ms: 60_000,
  options: checkoutWithoutInvoice.options.map((option) => ({
    ...option,
    name: text,
    code: text,
    type: text,
    banks: option.banks.map((bank) => ({ ...bank, name: text, code: text })),
  })),
});

const invoiceWithText: CheckoutWithText = (text) =>
  makePendingCheckout(
    {
      nspk_url: `${links.nspk_url}&note=${withoutForbiddenCharacters(text)}`,
      payment_url: `${links.payment_url}?note=${withoutForbiddenCharacters(text)}`,
      external_id: text,
      bank: { id: text, code: text, name: text },
      sbp: { ...sbp.sbp, phone: text, holder_name: text },
      card: { ...card.card, card_number: text, holder_name: text },
      bank_transfer: { ...transfer.bank_transfer, holder_name: text, account: text, bik: text },
    },
    { description: text, poll_after_ms: 60_000 },
  );

/** The elements of the widget and of its tag with their attributes, in document order. */
async function elementsOf(initial: Checkout, script: 'hydrated-page' | 'pay-invoice'): Promise<readonly string[]> {
  const { page, browserErrors } = await pages.open({ initial, script, lang: 'en' });
  await waitForHydration(page);
  assert.deepEqual(browserErrors, []);
  assert.equal(await page.evaluate(() => 'hacked' in globalThis), false);
  const names = await page.evaluate(() => {
    const tag = document.querySelector('pay-invoice');
    return [...(tag?.querySelectorAll('*') ?? []), ...(tag?.shadowRoot?.querySelectorAll('*') ?? [])].map(
      ({ localName, attributes }) => `${localName} ${[...attributes].map(({ name }) => name).join(' ')}`,
    );
  });
  return names;
}

describe('a value of the service in a page that a server has rendered', { timeout: 300_000 }, () => {
  for (const [name, createCheckout] of [
    ['options', optionsWithText],
    ['an invoice', invoiceWithText],
  ] as const)
    for (const script of ['hydrated-page', 'pay-invoice'] as const)
      it(`stays text, and creates no element and no attribute: in ${name}, ${script === 'pay-invoice' ? 'without' : 'with'} hydration`, async () => {
        assert.deepEqual(
          await elementsOf(createCheckout(hostile), script),
          await elementsOf(createCheckout('x'.repeat(hostile.length)), script),
        );
      });

  it('is shown literally', async () => {
    const { widget } = await pages.open({ initial: optionsWithText(hostile), holdScripts: true });
    assert.equal(await widget.locator('[part=description]').textContent(), hostile);
  });

  it('becomes no link when it is an address that runs a script', async () => {
    const url = 'javascript:globalThis.hacked=true';
    const initial = makePendingCheckout({ ...sbp, nspk_url: url, payment_url: url }, { poll_after_ms: 60_000 });
    const { page, widget } = await pages.open({ initial, holdScripts: true });
    assert.equal(await widget.locator('a').count(), 0);
    assert.equal(await widget.locator('[part=qr]').count(), 0);
    assert.equal((await page.content()).includes('href="javascript'), false);
  });
});
