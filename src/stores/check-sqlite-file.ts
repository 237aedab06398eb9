import { statSync } from 'node:fs';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { toError } from '../base/thrown-value.ts';
import { StoreUnavailableError } from '../server.ts';
import { sqliteCode, type SqliteFile } from './sqlite-file.ts';

// Nothing here opens a file: when a process closes any descriptor of a file, it loses the locks that SQLite holds on it. Another
// program would then believe that nobody uses the database, and delete its log. `stat` opens nothing.

/** Throws when the path is not a regular file. */
export function checkSqliteFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === false) throw new Error('it is not a regular file: name another file');
}

/** How long the answer of the function of `watchFiles` is used again, in milliseconds. */
const filesCheckMs = 500;

/** The file, its log and the index of its log; a reason begins with the name. */
const watchedFiles = [
  ['file', ''],
  ['log', '-wal'],
  ['log', '-shm'],
] as const;

/**
 * Returns a function that throws when a path no longer names the file that is open, because the file was deleted or replaced:
 * SQLite would go on with the file that has no name, and its data would be lost at the next start. The paths are looked up at
 * most twice a second, unless the answer has to be fresh. Call it when the log is open.
 * @throws StoreUnavailableError `file_deleted` or `file_replaced`, until the open file is back at its path; `log_deleted` or
 *   `log_replaced` until the end of the process, because another program may have opened the file without the log meanwhile
 */
export function watchFiles(path: string, clock: Clock): (isFresh?: boolean) => void {
  const openFiles = watchedFiles.map(([name, suffix]) => {
    const stats = statSync(`${path}${suffix}`, { throwIfNoEntry: false });
    return { name, path: `${path}${suffix}`, ino: stats?.ino, dev: stats?.dev };
  });
  let checkedAt = clock.now();
  let reason: string | undefined;
  return (isFresh = false) => {
    const isLogLost = reason?.startsWith('log') === true;
    if (!isLogLost && (isFresh || clock.now() - checkedAt >= filesCheckMs)) {
      reason = findChange(openFiles);
      checkedAt = clock.now();
    }
    if (reason !== undefined) throw new StoreUnavailableError(reason);
  };
}

interface OpenFile {
  readonly name: string;
  readonly path: string;
  readonly ino: number | undefined;
  readonly dev: number | undefined;
}

function findChange(files: readonly OpenFile[]): string | undefined {
  for (const { name, path, ino, dev } of files) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.ino !== ino || stats?.dev !== dev) return `${name}_${stats === undefined ? 'deleted' : 'replaced'}`;
  }
  return undefined;
}

const checkRow = z.object({ quick_check: z.string() });

/** Throws when a page of the database is damaged. It reads the whole file: about a second for each gigabyte. */
export function checkPages(file: SqliteFile): void {
  const { quick_check: result } = checkRow.parse(file.prepare('pragma quick_check(1)').get([]));
  if (result === 'ok') return;
  const message = result.split('\n').slice(0, 2).join(' ');
  throw Object.assign(new Error(message), { code: 'SQLITE_CORRUPT' });
}

/** What the operator can do about an error. The patterns match SQLite's error code or the driver's message. */
const adviceByError: readonly (readonly [RegExp, string])[] = [
  [/^SQLITE_(?:CORRUPT|NOTADB|IOERR_SHORT_READ)/, 'restore the file from a backup, or name another file'],
  [
    /^SQLITE_(?:CANTOPEN|READONLY|PERM)|Unable to open connection|EACCES|EPERM|EROFS|ENOTDIR|EEXIST/,
    'let this user write the folder, or name another one by DATA_DIR (the option file of createSqliteStore)',
  ],
  [/^SQLITE_FULL|ENOSPC|EDQUOT/, 'make room on the disk'],
];

/** The advice to append to the message of an error that occurred when the file was opened; empty without advice. */
export function adviceFor(error: unknown): string {
  const reason = `${sqliteCode(error) ?? ''} ${toError(error).message}`;
  const [, text] = adviceByError.find(([pattern]) => pattern.test(reason)) ?? [];
  return text === undefined ? '' : `: ${text}`;
}
