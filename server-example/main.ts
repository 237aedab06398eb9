// The program that `npm start` runs: the shop, and a sandbox in a trial.
import { readEnvironment, runProgram } from '../src/standalone.ts';
import { startShop } from './start-shop.ts';

await runProgram(async () => {
  const env = readEnvironment(process.env);
  const shop = await startShop(env);
  const { url, sandbox, metrics } = shop;
  const lines = [
    `\n  Shop     ${url}`,
    sandbox === null ? `  Service  ${env.serviceUrl ?? ''} (${env.mode})\n` : `  Sandbox  ${sandbox}\n`,
    ...(metrics === null ? [] : [`  Metrics  ${metrics}/metrics\n`]),
  ];
  return { lines, close: () => shop.close() };
});
