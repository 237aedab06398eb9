// Budgets of what a payer's browser loads, in gzip bytes; a file over its budget fails the build. A budget is what was
// reached, rounded up: it may go down, and goes up only with a reason in the commit. The goal for the standalone file,
// which shows the options, is 16 kB.
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const kB = 1000;
const budgets = [
  { what: 'standalone widget, until the options are visible', file: /^pay-invoice\.js$/, limit: 18.3 * kB },
  { what: 'payment screens, with the first response', file: /^pay-invoice\.payment.*\.js$/, limit: 17.75 * kB },
  { what: 'QR chunk, lazy', file: /^pay-invoice\.qr.*\.js$/, limit: 7.8 * kB },
  { what: 'saving the QR and help for in-app browsers, lazy', file: /^pay-invoice\.phone-help.*\.js$/, limit: 1 * kB },
  {
    what: 'auto-continue and return-after, lazy',
    file: /^pay-invoice\.automatic-steps.*\.js$/,
    limit: 0.95 * kB,
  },
  { what: 'second language, lazy', file: /^pay-invoice\.en.*\.js$/, limit: 1.99 * kB },
  { what: 'third language, lazy', file: /^pay-invoice\.kk.*\.js$/, limit: 2.6 * kB },
  { what: 'all in one classic script, with all languages', file: /^pay-invoice\.iife\.js$/, limit: 48.2 * kB },
];

const folder = 'dist/cdn';
const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
let failed = false;
for (const name of files) {
  const bytes = gzipSync(readFileSync(`${folder}/${name}`), { level: 9 }).length;
  const budget = budgets.find(({ file }) => file.test(name));
  const within = budget !== undefined && bytes <= budget.limit;
  failed ||= !within;
  const share =
    budget === undefined ? 'no budget: name it in scripts/check-bundle-size.ts' : `of ${budget.limit} (${budget.what})`;
  console.log(`${within ? 'ok  ' : 'OVER'} ${String(bytes).padStart(6)} ${share}  ${name}`);
}
for (const { what, file } of budgets) {
  if (files.some((name) => file.test(name))) continue;
  failed = true;
  console.log(`OVER        missing: ${what}`);
}
process.exitCode = failed ? 1 : 0;
