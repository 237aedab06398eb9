// `npm start`: the shop, and the sandbox beside it unless INVOICE_BASE_URL names a real service. Builds the pages first
// when they are older than their sources; with --no-build it takes them as they are.
import { buildWhenStale, BuildFailed } from './build.ts';
import { EnvRefused, readEnv } from './env.ts';
import { startShop } from './main.ts';
import { DatabaseOpenError } from '../src/stores/database-error.ts';

/** One line for what a person can mend; everything else with its stack. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof EnvRefused || error instanceof DatabaseOpenError) return `Cannot start: ${error.message}`;
  if (error instanceof BuildFailed) return error.message;
  if ('code' in error && 'port' in error && 'syscall' in error && error.syscall === 'listen')
    return `Cannot start: port ${String(error.port)} cannot be used (${String(error.code)}): is another program on it?`;
  return error.stack ?? error.message;
}

try {
  const env = readEnv(process.env);
  if (!process.argv.includes('--no-build')) buildWhenStale();
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
    void shop.close().then(() => process.exit(0));
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
} catch (error) {
  console.error(explain(error));
  process.exit(1);
}
