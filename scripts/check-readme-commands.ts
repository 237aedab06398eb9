// Runs the README's first commands in a fresh clone of HEAD, without files that an earlier run installed, built or downloaded:
// `npm ci`, then `npm start`. Pays an order in the started shop. Fails when the payment fails or the start takes too long.
import { cp } from 'node:fs/promises';
import { relative } from 'node:path';
import { Buyer } from '../test/support/buyer.ts';
import { CleanMachine } from '../test/package/clean-machine.ts';

/** The longest allowed time from the end of `npm ci` until the shop answers. */
const limitSeconds = 20;
/** After this time the started program is ended, and its output is shown. */
const startTimeoutMs = 5 * 60_000;
/** Folders with files that an earlier run installed or built. */
const excludedFolders = new Set(['node_modules', 'dist', '.data', '.tmp', '.git']);

const machine = await CleanMachine.empty({});
try {
  await machine.run('git', 'clone', '--quiet', process.cwd(), '.').catch(async (error: unknown) => {
    console.warn(`git cannot clone this folder, so its files are copied: ${String(error)}`);
    await cp(process.cwd(), machine.folder, {
      recursive: true,
      filter: (file) => !excludedFolders.has(relative('.', file)),
    });
  });
  await machine.npm('ci', '--cache', '.tmp/npm');
  const installedAt = performance.now();
  // A temporary folder of its own, because programs cache compiled sources among the temporary files.
  await machine.write({ '.tmp/empty': '' });
  const variables = ['PORT=0', 'SANDBOX_PORT=0', `TMPDIR=${machine.folder}/.tmp`];
  const program = machine.start('env', '-u', 'DATABASE_URL', '-u', 'DATA_DIR', ...variables, 'npm', 'start');
  const startTimer = setTimeout(() => void program.kill(), startTimeoutMs);
  const url = (await program.printed(/Shop +(http:\S+)/)).replace(/\/$/, '');
  const sandbox = await program.printed(/Sandbox +(http:\S+)/);
  for (const path of ['/', '/pay-invoice.js', '/readyz']) await expectStatus200(`${url}${path}`);
  const seconds = (performance.now() - installedAt) / 1000;
  const isWithinLimit = seconds <= limitSeconds;
  const durationText = `${seconds.toFixed(1)} of ${limitSeconds} s from the end of npm ci to a shop that is ready`;
  console.log(`${isWithinLimit ? 'ok  ' : 'OVER'} ${durationText}`);
  await buyAndPay({ url, sandbox });
  console.log('ok   an order was paid there');
  clearTimeout(startTimer);
  process.exitCode = isWithinLimit ? 0 : 1;
} finally {
  await machine.remove();
}

async function expectStatus200(url: string): Promise<void> {
  const { status } = await fetch(url);
  if (status !== 200) throw new Error(`${url} answers ${status}`);
}

/** Pays an order of the demo shop. */
async function buyAndPay(shop: { readonly url: string; readonly sandbox: string }): Promise<void> {
  const response = await fetch(`${shop.url}/shop/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"items":[{"sku":"cup","quantity":1}]}',
  });
  const { checkout } = (await response.json()) as { checkout: string };
  const buyer = new Buyer(shop, { checkoutId: checkout });
  const { invoice } = await buyer.createInvoice();
  await buyer.simulate(invoice?.id ?? '', 'pay');
  await buyer.waitFor('paid');
}
