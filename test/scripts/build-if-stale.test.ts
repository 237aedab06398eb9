import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isStale } from '../../scripts/build-if-stale.ts';

const root = await mkdtemp(join(tmpdir(), 'build-'));
after(() => rm(root, { recursive: true }));

/** Makes a file that was changed at a time, in seconds. */
async function file(name: string, changedAt: number): Promise<void> {
  await mkdir(join(root, name, '..'), { recursive: true });
  await writeFile(join(root, name), '');
  await utimes(join(root, name), changedAt, changedAt);
}

test('builds when a result is missing or older than anything in its sources', async () => {
  const [results, sources] = [
    ['out.js', 'page.html'],
    ['src', 'config.ts'],
  ].map((names) => names.map((name) => join(root, name)));
  const check = (): boolean => isStale(results ?? [], sources ?? []);
  await file('src/deep/code.ts', 100);
  await file('config.ts', 100);
  for (const folder of ['src', 'src/deep']) await utimes(join(root, folder), 100, 100);
  assert.equal(check(), true, 'nothing is built');
  await file('out.js', 200);
  assert.equal(check(), true, 'one result is missing');
  await file('page.html', 200);
  assert.equal(check(), false);
  await file('src/deep/code.ts', 300);
  assert.equal(check(), true, 'a source changed since');
  await file('out.js', 400);
  assert.equal(check(), true, 'the other result is older');
});
