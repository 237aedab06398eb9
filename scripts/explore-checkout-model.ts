// Explores the checkout's decisions deeper than `npm test` does, and prints how many states were visited and, where a rule
// is broken, the shortest sequence of steps that breaks it: `npm run check:model`.
import { checkoutModel } from '../test/model/checkout-model.ts';
import { decisions } from '../test/model/steps.ts';
import { explore } from '../test/model/explore.ts';
import { scenarios } from '../test/model/scenarios.ts';

for (const { name, bounds, deepDepth } of scenarios) {
  const start = performance.now();
  const { states, steps, depth, violation } = explore(checkoutModel(decisions, bounds), { maxDepth: deepDepth });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${name}\n  ${states} states, ${steps} steps, depth ${depth}, ${seconds} s`);
  if (violation === undefined) continue;
  console.log(`  BROKEN: ${violation.rule}`);
  for (const [at, step] of violation.trace.entries()) console.log(`  ${at + 1}. ${step}`);
  process.exitCode = 1;
}
