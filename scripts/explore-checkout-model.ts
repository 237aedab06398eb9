// Explores the decisions of the backend more deeply than `npm test` does: `npm run check:model`.
// Prints how many states were visited, and the shortest sequence of steps that breaks a rule, if there is one.
import { checkoutModel } from '../test/model/checkout-model.ts';
import { decisions } from '../test/model/checkout-steps.ts';
import { explore, type Model } from '../test/model/explore.ts';
import { scenarios } from '../test/model/checkout-scenarios.ts';

for (const { name, bounds, deepDepth } of scenarios)
  exploreAndReport(`backend: ${name}`, checkoutModel(decisions, bounds), deepDepth);

function exploreAndReport<State>(name: string, model: Model<State>, maxDepth: number): void {
  const startedAt = performance.now();
  const { states, steps, depth, violation } = explore(model, { maxDepth });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${name}\n  ${states} states, ${steps} steps, depth ${depth}, ${seconds} s`);
  if (violation === undefined) return;
  console.log(`  BROKEN: ${violation.rule}`);
  for (const [index, step] of violation.trace.entries()) console.log(`  ${index + 1}. ${step}`);
  process.exitCode = 1;
}
