import assert from 'node:assert/strict';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isStale } from '../../scripts/build-if-stale.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

/** Writes a file and sets the time of its last change, in seconds. */
async function writeFileChangedAt(name: string, changedAt: number): Promise<void> {
  await mkdir(join(folder, name, '..'), { recursive: true });
  await writeFile(join(folder, name), '');
  await utimes(join(folder, name), changedAt, changedAt);
}

test('a build is stale when one of its results is missing or older than a file of its sources', async () => {
  const [results, sources] = [
    ['out.js', 'page.html'],
    ['src', 'config.ts'],
  ].map((names) => names.map((name) => join(folder, name)));
  const isBuildStale = (): boolean => isStale(results ?? [], sources ?? []);
  await writeFileChangedAt('src/deep/code.ts', 100);
  await writeFileChangedAt('config.ts', 100);
  for (const name of ['src', 'src/deep']) await utimes(join(folder, name), 100, 100);
  assert.equal(isBuildStale(), true, 'no result exists');
  await writeFileChangedAt('out.js', 200);
  assert.equal(isBuildStale(), true, 'one result is missing');
  await writeFileChangedAt('page.html', 200);
  assert.equal(isBuildStale(), false);
  await writeFileChangedAt('src/deep/code.ts', 300);
  assert.equal(isBuildStale(), true, 'a source was changed after the build');
  await writeFileChangedAt('out.js', 400);
  assert.equal(isBuildStale(), true, 'the other result is older');
});
