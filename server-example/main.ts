// `node main.ts` runs the shop with its two pages, beside a sandbox unless INVOICE_BASE_URL names an invoice service.
import process from 'node:process';
import { bodyLimit } from 'hono/body-limit';
import { html } from 'hono/html';
import { readEnvironment, runProgram } from 'pay-invoice/standalone';
import { catalogue, currency, productOf } from './catalogue.ts';
import { startShop, type Shop } from './shop.ts';

function addPages({ app, test, place }: Shop): void {
  const headers = { 'content-security-policy': "default-src 'none'; img-src 'self'; form-action 'self'" };
  app.get('/', (c) => {
    const note = test ? 'A test: no money moves.' : 'What you pay is real money.';
    const buttons = catalogue.map(
      ({ sku, name, price }) =>
        html`<p><button name="sku" value="${sku}">${name.en}: ${price} ${currency}</button></p>`,
    );
    const page = html`<!doctype html>
      <html lang="en">
        <title>Leaf &amp; Clay</title>
        <h1>Leaf &amp; Clay</h1>
        <p>${note}</p>
        <form method="post" action="orders">${buttons}</form>
      </html>`;
    return c.html(page, 200, headers);
  });
  app.post('/orders', bodyLimit({ maxSize: 1024 }), async (c) => {
    const { sku } = await c.req.parseBody();
    if (typeof sku !== 'string' || productOf(sku) === undefined) return c.text('There is no such product', 400);
    return c.redirect((await place([{ sku, quantity: 1 }])).pay_url, 303);
  });
  app.get('/paid', (c) =>
    c.html('<!doctype html><html lang="en"><title>Paid</title><h1>Thank you for your order</h1>', 200, headers),
  );
}

await runProgram(async () => {
  const shop = await startShop(readEnvironment(process.env));
  addPages(shop);
  return { lines: [`Shop     ${shop.url}`, `Sandbox  ${shop.sandbox ?? 'none'}`], close: shop.close };
});
