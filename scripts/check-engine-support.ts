// Checks the built files against the oldest engines that the README names: `npm run check:engines`. Syntax, objects, members,
// styles and attributes that one of them does not have fail the check, unless scripts/engine-support/accepted-exceptions.ts says what
// that engine does instead.
import { readdirSync, readFileSync } from 'node:fs';
import { accepted } from './engine-support/accepted-exceptions.ts';
import type { Violation } from './engine-support/engines.ts';
import { scriptViolations } from './engine-support/script-features.ts';
import { markupViolations } from './engine-support/markup-features.ts';
import { styleViolations } from './engine-support/style-features.ts';
import { styleSheets } from './engine-support/read-style-sheets.ts';

const folder = 'dist/cdn';
const findings: (readonly [where: string, violation: Violation])[] = [];
const add = (where: string, violations: readonly Violation[]): void => {
  for (const violation of violations) findings.push([where, violation]);
};

for (const name of readdirSync(folder).filter((file) => file.endsWith('.js'))) {
  const code = readFileSync(`${folder}/${name}`, 'utf8');
  add(name, scriptViolations(code));
  add(name, markupViolations(code));
}
for (const [name, text] of await styleSheets()) add(name, styleViolations(text));

const used = new Set(findings.map(([, { feature }]) => feature));
const open = findings.filter(([, { feature }]) => !Object.hasOwn(accepted, feature));
const stale = Object.keys(accepted).filter((feature) => !used.has(feature));
for (const [where, { feature, missing }] of open)
  console.log(`${where}: ${feature} is missing in ${missing.join(', ')}`);
for (const feature of stale) console.log(`accepted.ts: nothing uses ${feature} any more`);
if (open.length + stale.length === 0)
  console.log(`ok: ${findings.length} uses of newer features, each with what older engines do`);
process.exitCode = open.length + stale.length === 0 ? 0 : 1;
