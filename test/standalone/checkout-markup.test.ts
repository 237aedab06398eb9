import assert from 'node:assert/strict';
import { it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Checkout } from '../../src/checkout-api.ts';
import { checkoutMarkup } from '../../src/standalone.ts';
import { qrCodeOf } from '../../src/server/domain/qr-codes.ts';
import {
  card,
  checkoutWithoutInvoice,
  links,
  makeEndedCheckout,
  makePendingCheckout,
  sbp,
  transfer,
} from '../../demo/gallery-checkouts.ts';

/** The most that the markup of a waiting invoice may have in gzip, with its style sheet. */
const budgetBytes = 6500;

const payPage = '/pay/chk_gallery';
const render = (initial: Checkout, lang = 'ru'): Promise<string> => checkoutMarkup(initial, { payPage, lang });

/** An invoice that can be paid in every way at once. */
const waiting = makePendingCheckout({ ...sbp, ...card, ...transfer, ...links, qr: qrCodeOf(links.nspk_url) });

it(`a waiting invoice, with its QR and all its requisites, takes at most ${budgetBytes} bytes in gzip`, async () => {
  const bytes = gzipSync(await render(waiting)).length;
  assert.ok(bytes <= budgetBytes, `${bytes} bytes`);
});

for (const [lang, language, methods, paid] of [
  ['ru', 'ru', 'Способ оплаты', 'Деньги получены'],
  ['en-GB', 'en-GB', 'Payment method', 'Payment received'],
  ['kk', 'kk', 'Төлем тәсілі', 'Төленді'],
] as const)
  it(`the markup is in the language of the page: ${lang}`, async () => {
    const open = await render(checkoutWithoutInvoice, lang);
    assert.match(open, new RegExp(`<div slot="markup" lang="${language}" dir="ltr">`));
    assert.ok(open.includes(methods), open);
    assert.ok((await render(makeEndedCheckout('paid'), lang)).includes(paid));
  });

it('the form and the links of the markup lead to the pay page, and the headings follow those of the shop’s page', async () => {
  assert.match(await render(checkoutWithoutInvoice), /<form method="post" action="\/pay\/chk_gallery">/);
  assert.match(await render(waiting), /href="\/pay\/chk_gallery\?check=1"/);
  assert.deepEqual((await render(waiting)).match(/<h\d/g)?.slice(0, 2), ['<h2', '<h3']);
});

it('each rule of the style sheet is for the tag or for the markup alone', async () => {
  const [, sheet = ''] = /<style>(.*?)<\/style>/s.exec(await render(waiting)) ?? [];
  const selectors = [...sheet.matchAll(/(?<=^|[{}])[^{}@]+(?=\{)/g)].flatMap(([list]) => list.split(','));
  assert.ok(selectors.length > 50);
  assert.deepEqual(
    selectors.filter((selector) => !/^(pay-invoice|\[slot=markup\])/.test(selector)),
    [],
  );
});

/** A text that closes any markup around it, and then runs a script. */
const hostile = `"'>--><!--></style></template></noscript></script></textarea><script>hacked()</script><img src=x onerror="hacked()">`;

/** The text stands for each value of the shop and of the service. */
const checkoutsWith = (text: string): readonly Checkout[] => [
  {
    ...checkoutWithoutInvoice,
    description: text,
    reference: text,
    options: checkoutWithoutInvoice.options.map((option) => ({
      ...option,
      id: text,
      name: text,
      code: text,
      type: text,
      banks: option.banks.map((bank) => ({ ...bank, name: text, code: text })),
    })),
  },
  makePendingCheckout(
    {
      nspk_url: `${links.nspk_url}&note=${text.replaceAll(' ', '/')}`,
      payment_url: `${links.payment_url}?note=${text.replaceAll(' ', '/')}`,
      external_id: text,
      bank: { id: text, code: text, name: text },
      sbp: { ...sbp.sbp, phone: text, holder_name: text },
      card: { ...card.card, card_number: text, holder_name: text },
      bank_transfer: { ...transfer.bank_transfer, holder_name: text, account: text, bik: text },
    },
    { description: text },
  ),
  { ...makeEndedCheckout('paid'), reference: text, description: text },
];

/** The tags with the names of their attributes, in document order. */
const tagsIn = (markup: string): readonly string[] =>
  (markup.match(/<[^<>]*>/g) ?? []).map((tag) => tag.replace(/="[^"]*"/g, ''));

it('a value of the shop or of the service makes no tag and no attribute', async () => {
  const harmless = checkoutsWith('x'.repeat(hostile.length));
  for (const [index, checkout] of checkoutsWith(hostile).entries())
    assert.deepEqual(tagsIn(await render(checkout)), tagsIn(await render(harmless[index] ?? assert.fail())));
});

it('an address that runs a script becomes no link', async () => {
  const url = 'javascript:hacked()';
  const markup = await render(makePendingCheckout({ ...sbp, nspk_url: url, payment_url: url }));
  assert.doesNotMatch(markup.replace(/<script.*/s, ''), /javascript:/);
});

it('has a button that says what follows for the method that is chosen, and in an old browser what is true of all', async () => {
  const buttonOf = async (checkout: Checkout): Promise<string> =>
    /<button class="main">([^]*?)<\/button>/.exec(await render(checkout, 'en'))?.[1]?.replaceAll('\n', '') ?? '';
  const options = checkoutWithoutInvoice.options.slice(0, 2);
  assert.equal(
    await buttonOf({ ...checkoutWithoutInvoice, options }),
    '<span class="any">Continue</span><span class="sbp" hidden>Pay by SBP</span><span class="bank" hidden>Get the details</span>',
  );
  assert.equal(await buttonOf({ ...checkoutWithoutInvoice, options: options.slice(1) }), 'Get the details');
});
