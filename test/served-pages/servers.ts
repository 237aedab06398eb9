// The programs whose pages are tested, and their checkouts in each state.
import { after } from 'node:test';
import { z } from 'zod';
import { createPayPage } from '../../src/standalone.ts';
import { adminToken, Buyer } from '../support/buyer.ts';
import { ExampleServerProcess } from '../support/example-server-process.ts';
import { openForFile } from '../support/open-for-file.ts';
import { startStandalone } from '../support/start-standalone.ts';

const standalone = await openForFile(startStandalone({ SHOP_NAME: 'Leaf & Clay', SHOP_ACCENT: '#0f766e' }));
const demo = await ExampleServerProcess.start();
after(() => demo.stop());
const example = await ExampleServerProcess.start({}, 'server-example/main.ts');
after(() => example.stop());

/** Where the programs listen: the standalone server with its sandbox, the demo, and the shop to copy. */
export const servers = {
  standalone: standalone.url,
  sandbox: standalone.sandbox ?? '',
  demo: demo.url,
  example: example.url,
} as const;

export { adminToken };

const created = z.object({ id: z.string(), capability: z.string() });
let orders = 0;

/** Creates a checkout at the standalone server. */
export async function createCheckout(changes: object = {}): Promise<Buyer> {
  orders += 1;
  const order = {
    order_id: `order-${orders}`,
    amount: '1500.00',
    currency: 'RUB',
    description: 'Пиала',
    reference: `R-${orders}`,
    success_url: 'https://shop.example/thanks',
    fail_url: 'https://shop.example/cart',
    ...changes,
  };
  const response = await fetch(`${servers.standalone}/admin/checkouts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(order),
  });
  const { id, capability: checkoutId } = created.parse(await response.json());
  return new Buyer({ url: servers.standalone, sandbox: servers.sandbox }, { id, checkoutId });
}

export const payUrl = ({ checkoutId }: Buyer): string => `${servers.standalone}/pay/${checkoutId}`;

/** Creates a checkout whose payer has asked for an invoice, and lets that end if a result is given. */
export async function createInvoice(
  method: string,
  result?: 'pay' | 'fail' | 'expire',
): Promise<{ readonly buyer: Buyer; readonly invoiceId: string }> {
  const buyer = await createCheckout();
  const { invoice } = await buyer.createInvoice(method);
  const invoiceId = invoice?.id ?? '';
  if (result !== undefined) {
    await buyer.simulate(invoiceId, result);
    await buyer.waitFor(({ pay: 'paid', fail: 'failed', expire: 'expired' } as const)[result]);
  }
  return { buyer, invoiceId };
}

/** The pay page while the checkout server refuses. */
export async function readPayPageWhenRefused(refused: 'rate_limited' | 'try_again'): Promise<string> {
  const payPage = createPayPage({
    checkouts: { handle: () => Promise.reject(new Error('no form is sent')), view: () => Promise.resolve({ refused }) },
    endpoint: 'https://shop.example/checkout',
    shop: { name: 'Leaf & Clay', logoUrl: 'https://shop.example/logo.svg' },
  });
  const url = `https://shop.example/pay/chk_${'a'.repeat(22)}`;
  return (await payPage(new Request(url), { address: undefined })).text();
}
