// The program that `npm start` runs: the shop, and a sandbox in a trial.
import { JournalError } from '../src/sandbox.ts';
import { DatabaseOpenError } from '../src/sqlite.ts';
import { EnvironmentError, readEnvironment } from '../src/standalone.ts';
import { startShop } from './start-shop.ts';

/** How long closing may take, in milliseconds. Then the process exits, before a process manager kills it. */
const maxCloseMs = 14_000;

/** One line for an error that the operator can correct; the stack of any other error. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof EnvironmentError || error instanceof DatabaseOpenError || error instanceof JournalError)
    return `Cannot start: ${error.message}`;
  if ('code' in error && 'port' in error && 'syscall' in error && error.syscall === 'listen')
    return `Cannot start: port ${String(error.port)} cannot be used (${String(error.code)}): is another program on it?`;
  return error.stack ?? error.message;
}

try {
  const env = readEnvironment(process.env);
  const shop = await startShop(env);
  console.log(`\n  Shop     ${shop.url}`);
  console.log(
    shop.sandbox === null ? `  Service  ${env.serviceUrl ?? ''} (${env.mode})\n` : `  Sandbox  ${shop.sandbox}\n`,
  );
  if (shop.metrics !== null) console.log(`  Metrics  ${shop.metrics}/metrics\n`);

  let isStopping = false;
  const stop = (): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    setTimeout(() => {
      console.error('The shop did not close in time: what was under way is continued after the next start.');
      process.exit(1);
    }, maxCloseMs).unref();
    shop.close().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(describeError(error));
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
} catch (error) {
  console.error(describeError(error));
  process.exit(1);
}
