import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import type { DatabaseLocation } from '../support/open-database.ts';
import { allDatabases } from './databases.ts';

// One order has one checkout, also when two processes create it at the same time.

const kinds = await allDatabases();
after(async () => {
  for (const kind of kinds) await kind.end();
});

const count = 100;

/** Runs a process for each amount. The processes create the same orders at the same time. Resolves with what each printed. */
async function createAtOnce(place: DatabaseLocation, amounts: readonly string[]): Promise<readonly string[][]> {
  const script = new URL('./order-creator-process.ts', import.meta.url).pathname;
  const creators = amounts.map((amount) => {
    const args = ['--import', 'tsx', script, JSON.stringify(place), amount, String(count)];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  });
  for (const { lines } of creators) assert.equal((await lines.next()).value, 'ready');
  for (const { child } of creators) child.stdin.end();
  return Promise.all(
    creators.map(async ({ lines }) => {
      const printed: string[] = [];
      for (let line = await lines.next(); line.done !== true; line = await lines.next()) printed.push(line.value);
      return printed;
    }),
  );
}

for (const kind of kinds) {
  test(`${kind.name} gives two processes the same checkouts for the same orders, and each checkout is new to one of them`, async () => {
    const [first = [], second = []] = await createAtOnce(await kind.fresh(), ['1500.00', '1500.00']);
    assert.equal(first.length, count);
    const idsOf = (lines: readonly string[]) => lines.map((line) => line.split(' ')[0]);
    assert.ok(first.every((line) => line.startsWith('chk_')));
    assert.deepEqual(idsOf(second), idsOf(first));
    assert.equal(new Set(idsOf(first)).size, count);
    const newCounts = first.map(
      (line, order) => [line, second[order] ?? ''].filter((one) => one.endsWith(' new')).length,
    );
    assert.deepEqual(new Set(newCounts), new Set([1]));
  });

  test(`${kind.name} gives each checkout to one of two processes that create the same orders with different amounts`, async () => {
    const [first = [], second = []] = await createAtOnce(await kind.fresh(), ['1500.00', '1500.01']);
    for (const [order, id] of first.entries()) {
      const pair = [id, second[order]];
      assert.ok(pair.includes('CheckoutConflictError'), `order ${order}: ${pair.join(', ')}`);
      assert.ok(pair.some((line) => line?.startsWith('chk_')));
    }
  });
}
