import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import type { DatabaseLocation } from '../support/open-database.ts';
import { allDatabases } from './databases.ts';

// An order has one checkout, even if two processes create it at the same time.

const systems = await allDatabases();
after(async () => {
  for (const system of systems) await system.end();
});

const orderCount = 100;

/**
 * Runs one process for each amount. They create the same orders at the same time. Resolves with the lines that each printed.
 */
async function createConcurrently(place: DatabaseLocation, amounts: readonly string[]): Promise<readonly string[][]> {
  const script = new URL('./order-creator-process.ts', import.meta.url).pathname;
  const processes = amounts.map((amount) => {
    const args = ['--import', 'tsx', script, JSON.stringify(place), amount, String(orderCount)];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  });
  for (const { lines } of processes) assert.equal((await lines.next()).value, 'ready');
  for (const { child } of processes) child.stdin.end();
  return Promise.all(
    processes.map(async ({ lines }) => {
      const printedLines: string[] = [];
      for (let line = await lines.next(); line.done !== true; line = await lines.next()) printedLines.push(line.value);
      return printedLines;
    }),
  );
}

for (const system of systems) {
  test(`${system.name} gives two processes the same checkouts for the same orders, and each checkout is new to one of them`, async () => {
    const [firstLines = [], secondLines = []] = await createConcurrently(await system.fresh(), ['1500.00', '1500.00']);
    assert.equal(firstLines.length, orderCount);
    const idsOf = (lines: readonly string[]) => lines.map((line) => line.split(' ')[0]);
    assert.ok(firstLines.every((line) => line.startsWith('co_')));
    assert.deepEqual(idsOf(secondLines), idsOf(firstLines));
    assert.equal(new Set(idsOf(firstLines)).size, orderCount);
    const newCounts = firstLines.map(
      (line, order) => [line, secondLines[order] ?? ''].filter((printed) => printed.endsWith(' new')).length,
    );
    assert.deepEqual(new Set(newCounts), new Set([1]));
  });

  test(`${system.name} gives each checkout to one of two processes that create the same orders with different amounts`, async () => {
    const [firstLines = [], secondLines = []] = await createConcurrently(await system.fresh(), ['1500.00', '1500.01']);
    for (const [order, line] of firstLines.entries()) {
      const bothLines = [line, secondLines[order]];
      assert.ok(bothLines.includes('CheckoutConflictError'), `order ${order}: ${bothLines.join(', ')}`);
      assert.ok(bothLines.some((printed) => printed?.startsWith('co_')));
    }
  });
}
