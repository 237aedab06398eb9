// Budgets of what a payer's browser loads, in gzip bytes; a file over its budget fails the build. A budget is what was
// reached, rounded up: it may go down, and goes up only with a reason in the commit.
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const kB = 1000;
const budgets = [
  { contents: 'session, options and the QR of an invoice', file: /^pay-invoice\.js$/, limit: 26_360 },
  {
    contents: 'the other screens, with the first response',
    file: /^pay-invoice\.payment.*\.js$/,
    limit: 18_600,
  },
  { contents: 'QR encoder, lazy', file: /^pay-invoice\.qr.*\.js$/, limit: 7.4 * kB },
  {
    contents: 'what few pages need, lazy',
    file: /^pay-invoice\.rarely-needed.*\.js$/,
    limit: 2015,
  },
  { contents: 'second language, lazy', file: /^pay-invoice\.en.*\.js$/, limit: 2705 },
  { contents: 'third language, lazy', file: /^pay-invoice\.kk.*\.js$/, limit: 3385 },
];

const folder = 'dist/cdn';
const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
let hasFailed = false;
for (const name of files) {
  const bytes = gzipSync(readFileSync(`${folder}/${name}`), { level: 9 }).length;
  const budget = budgets.find(({ file }) => file.test(name));
  const isWithinBudget = budget !== undefined && bytes <= budget.limit;
  hasFailed ||= !isWithinBudget;
  const budgetText =
    budget === undefined
      ? 'no budget: name it in scripts/check-bundle-size.ts'
      : `of ${budget.limit} (${budget.contents})`;
  console.log(`${isWithinBudget ? 'ok  ' : 'OVER'} ${String(bytes).padStart(6)} ${budgetText}  ${name}`);
}
for (const { contents, file } of budgets) {
  if (files.some((name) => file.test(name))) continue;
  hasFailed = true;
  console.log(`OVER        missing: ${contents}`);
}
process.exitCode = hasFailed ? 1 : 0;
