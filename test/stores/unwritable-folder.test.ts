import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { createSqliteStore } from '../../src/sqlite.ts';

const folder = await mkdtemp(join(tmpdir(), 'folders-'));
after(() => rm(folder, { recursive: true }));
await chmod(folder, 0o755);
await writeFile(join(folder, 'note'), '');
await mkdir(join(folder, 'of-another-user'), { mode: 0o555 });
// So that the library that opens files is loaded before the user changes.
await (await createSqliteStore({ file: join(folder, 'first.db') })).close();

/** Runs the work without the rights of root, to whom every folder is writable. */
async function withoutRoot(work: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}

for (const [title, name, reason] of [
  ['an unwritable folder', 'of-another-user/data/checkouts.db', 'EACCES'],
  ['a file in an unwritable folder', 'of-another-user/checkouts.db', '(?:EACCES|unable to open)'],
  ['a folder below a file', 'note/data/checkouts.db', 'ENOTDIR'],
  ['a folder that is a file', 'note/checkouts.db', 'EEXIST'],
  ['a folder in a file system that makes none', '/proc/nope/data/checkouts.db', '(?:ENOENT|EROFS|EACCES)'],
] as const)
  test(`${title} is an error that names DATA_DIR, the option file and what to do`, () =>
    withoutRoot(() =>
      assert.rejects(createSqliteStore({ file: resolve(folder, name) }), {
        name: 'DatabaseOpenError',
        code: 'database_not_opened',
        message: new RegExp(
          `${reason}.*: let this user write the folder, or name another one by DATA_DIR .*option file`,
        ),
      }),
    ));
