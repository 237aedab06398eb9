// Runs the README's first command in a fresh clone of HEAD, without anything that an earlier run installed, built or fetched:
// after `npm ci`, `npm start` starts a shop, in which an order is then paid. Fails without that payment, or when the start takes too long.
import { cp } from 'node:fs/promises';
import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Buyer } from '../test/server-example/buyer.ts';
import { CleanMachine } from '../test/package/clean-machine.ts';

/** From the end of `npm ci` until the shop answers. */
const limitSeconds = 20;
/** A start that takes so long is ended, and its output is shown. */
const patienceMs = 5 * 60_000;
/** What an earlier run installed or built. */
const made = new Set(['node_modules', 'dist', '.data', '.tmp', '.git']);

const machine = await CleanMachine.empty({});
try {
  await machine.run('git', 'clone', '--quiet', process.cwd(), '.').catch(async (error: unknown) => {
    console.warn(`git cannot clone this folder, so its files are copied: ${String(error)}`);
    await cp(process.cwd(), machine.folder, { recursive: true, filter: (file) => !made.has(relative('.', file)) });
  });
  await machine.npm('ci', '--cache', '.tmp/npm');
  const installed = performance.now();
  // Programs keep compiled sources among the temporary files.
  await machine.write({ '.tmp/empty': '' });
  const own = ['PORT=0', 'SANDBOX_PORT=0', `TMPDIR=${machine.folder}/.tmp`];
  const program = machine.start('env', '-u', 'DATABASE_URL', '-u', 'DATA_DIR', ...own, 'npm', 'start');
  const watch = setTimeout(() => void program.kill(), patienceMs);
  const url = (await program.printed(/Shop +(http:\S+)/)).replace(/\/$/, '');
  const sandbox = await program.printed(/Sandbox +(http:\S+)/);
  for (const path of ['/', '/pay-invoice.js', '/readyz']) await mustAnswer(`${url}${path}`);
  const seconds = (performance.now() - installed) / 1000;
  const within = seconds <= limitSeconds;
  const figure = `${seconds.toFixed(1)} of ${limitSeconds} s from the end of npm ci to a shop that is ready`;
  console.log(`${within ? 'ok  ' : 'OVER'} ${figure}`);
  await buy(new Buyer({ url, sandbox }));
  console.log('ok   an order was paid there');
  clearTimeout(watch);
  process.exitCode = within ? 0 : 1;
} finally {
  await machine.remove();
}

async function mustAnswer(url: string): Promise<void> {
  const { status } = await fetch(url);
  if (status !== 200) throw new Error(`${url} answers ${status}`);
}

async function buy(buyer: Buyer): Promise<void> {
  await buyer.order();
  const { options } = await buyer.readCheckout();
  const option = options.find(({ available }) => available);
  if (option === undefined) throw new Error('the shop offers no payment method');
  const { invoice } = await buyer.createInvoice(option.id);
  if (invoice === null) throw new Error('choosing a method gave no requisites');
  await buyer.simulate(invoice.id, 'pay');
  await buyer.waitFor('paid');
  // The shop learns of the payment later than the payer: outcomes are delivered at least once, by a worker.
  while ((await buyer.readOrder()).status !== 'paid') await sleep(100);
}
