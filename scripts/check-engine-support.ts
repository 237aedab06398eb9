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
const findings: (readonly [location: string, violation: Violation])[] = [];
const addFindings = (location: string, violations: readonly Violation[]): void => {
  for (const violation of violations) findings.push([location, violation]);
};

for (const name of readdirSync(folder).filter((file) => file.endsWith('.js'))) {
  const code = readFileSync(`${folder}/${name}`, 'utf8');
  addFindings(name, scriptViolations(code));
  addFindings(name, markupViolations(code));
}
for (const [name, text] of await styleSheets()) addFindings(name, styleViolations(text));

const usedFeatures = new Set(findings.map(([, { feature }]) => feature));
const unacceptedFindings = findings.filter(([, { feature }]) => !Object.hasOwn(accepted, feature));
const unusedAcceptances = Object.keys(accepted).filter((feature) => !usedFeatures.has(feature));
for (const [location, { feature, missing }] of unacceptedFindings)
  console.log(`${location}: ${feature} is missing in ${missing.join(', ')}`);
for (const feature of unusedAcceptances) console.log(`accepted.ts: nothing uses ${feature} any more`);
if (unacceptedFindings.length + unusedAcceptances.length === 0)
  console.log(`ok: ${findings.length} uses of newer features, each with what older engines do`);
process.exitCode = unacceptedFindings.length + unusedAcceptances.length === 0 ? 0 : 1;
