import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

/** The faults of accessibility that axe finds in a page, each with the first element that has it. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  // The page's policy refuses scripts in it; a browser's extension, as axe is one, may run them.
  const results: unknown = await page.evaluate(`${source}; axe.run(document)`);
  return (results as AxeResults).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
}
