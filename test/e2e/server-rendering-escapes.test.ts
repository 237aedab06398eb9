import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Checkout } from '../../src/protocol.ts';
import { card, links, open, pending, sbp, transfer } from '../../demo/gallery-checkouts.ts';
import { hydrated, startRenderedPages, type RenderedPages } from './server-rendered-page.ts';

let pages: RenderedPages;

before(async () => {
  pages = await startRenderedPages();
});

after(() => pages.close());

/** A text that closes any markup around it, and then runs a script. */
const attack = (run: string): string =>
  `"'>--><!--></style></template></noscript></script></textarea><script>${run}</script><img src=x onerror="${run}">`;
const hostile = attack('globalThis.hacked=true');

/** The text without the characters that no link may contain. */
const inLink = (text: string): string => text.replaceAll(' ', '/').replaceAll('\\', '');

type Values = (text: string) => Checkout;

const options: Values = (text) => ({
  ...open,
  description: text,
  currency: open.currency,
  poll_after_ms: 60_000,
  options: open.options.map((option) => ({
    ...option,
    name: text,
    code: text,
    type: text,
    banks: option.banks.map((bank) => ({ ...bank, name: text, code: text })),
  })),
});

const invoice: Values = (text) =>
  pending(
    {
      nspk_url: `${links.nspk_url}&note=${inLink(text)}`,
      payment_url: `${links.payment_url}?note=${inLink(text)}`,
      external_id: text,
      bank: { id: text, code: text, name: text },
      sbp: { ...sbp.sbp, phone: text, holder_name: text },
      card: { ...card.card, card_number: text, holder_name: text },
      bank_transfer: { ...transfer.bank_transfer, holder_name: text, account: text, bik: text },
    },
    { description: text, poll_after_ms: 60_000 },
  );

/** The elements of the widget and of its tag, in their order. */
async function elementsOf(initial: Checkout, script: 'hydrated-page' | 'plain'): Promise<readonly string[]> {
  const { page, complaints, close } = await pages.open({ initial, script, lang: 'en' });
  await hydrated(page);
  assert.deepEqual(complaints, []);
  assert.equal(await page.evaluate(() => 'hacked' in globalThis), false);
  const names = await page.evaluate(() => {
    const tag = document.querySelector('pay-invoice');
    return [...(tag?.querySelectorAll('*') ?? []), ...(tag?.shadowRoot?.querySelectorAll('*') ?? [])].map(
      ({ localName, attributes }) => `${localName} ${[...attributes].map(({ name }) => name).join(' ')}`,
    );
  });
  await close();
  return names;
}

describe('a value of the service in a page that a server has rendered', { timeout: 300_000 }, () => {
  for (const [name, values] of [
    ['options', options],
    ['an invoice', invoice],
  ] as const)
    for (const script of ['hydrated-page', 'plain'] as const)
      it(`stays text, and creates no element and no attribute: ${name}, ${script}`, async () => {
        assert.deepEqual(
          await elementsOf(values(hostile), script),
          await elementsOf(values('x'.repeat(hostile.length)), script),
        );
      });

  it('is shown as it is written', async () => {
    const { widget, close } = await pages.open({ initial: options(hostile), held: true });
    assert.equal(await widget.locator('.about').textContent(), hostile);
    await close();
  });

  it('is no link when it is an address that runs a script', async () => {
    const url = 'javascript:globalThis.hacked=true';
    const initial = pending({ ...sbp, nspk_url: url, payment_url: url }, { poll_after_ms: 60_000 });
    const { page, widget, close } = await pages.open({ initial, held: true });
    assert.equal(await widget.locator('a').count(), 0);
    assert.equal(await widget.locator('[part=qr]').count(), 0);
    assert.equal((await page.content()).includes('href="javascript'), false);
    await close();
  });
});
