import { statSync, type Stats } from 'node:fs';
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

/** How long a look at the files is used again, in milliseconds. */
const filesCheckMs = 500;

/** What is known of the files of an open database. */
interface WatchedFiles {
  /**
   * Throws when a path no longer names the file that is open, because the file was deleted or replaced: SQLite would go on with
   * the file that has no name, and its data would be lost at the next start. The paths are looked up at most twice a second,
   * unless the answer has to be fresh.
   * @throws StoreUnavailableError `file_deleted` or `file_replaced`, until the open file is back at its path; `log_deleted` or
   *   `log_replaced` until the end of the process, because another program may have opened the file without the log meanwhile
   */
  readonly assertSame: (isFresh?: boolean) => void;
  /**
   * Whether SQLite may write the log that is open into the file, and delete what is at the log's path. It may not when another log
   * is there, or when something has written the file since the log was lost: the pages of two programs would be mixed.
   */
  readonly mayWriteLog: () => boolean;
}

/** Remembers which files are open. Call it when the log is open. */
export function watchFiles(path: string, clock: Clock): WatchedFiles {
  const openFiles = lookUp(path);
  let lastGood = openFiles;
  let checkedAt = clock.now();
  let reason: string | undefined;
  const check = (isFresh: boolean): void => {
    const isLogLost = reason?.startsWith('log') === true;
    if (isLogLost || !(isFresh || clock.now() - checkedAt >= filesCheckMs)) return;
    const found = lookUp(path);
    checkedAt = clock.now();
    reason = findChange(openFiles, found);
    if (reason === undefined) lastGood = found;
  };
  return {
    assertSame(isFresh = false) {
      check(isFresh);
      if (reason !== undefined) throw new StoreUnavailableError(reason);
    },
    mayWriteLog() {
      check(true);
      const { file, log } = lookUp(path);
      return reason === undefined || (log === undefined && file?.mtimeMs === lastGood.file?.mtimeMs);
    },
  };
}

/** The file, its log and the index of its log; undefined for one that does not exist. */
type Files = Readonly<Record<'file' | 'log' | 'index', Stats | undefined>>;

function lookUp(path: string): Files {
  const [file, log, index] = ['', '-wal', '-shm'].map((suffix) =>
    statSync(`${path}${suffix}`, { throwIfNoEntry: false }),
  );
  return { file, log, index };
}

/** The reason for which the open files cannot be used. */
function findChange(open: Files, found: Files): string | undefined {
  const name = (['file', 'log', 'index'] as const).find(
    (name) => open[name]?.ino !== found[name]?.ino || open[name]?.dev !== found[name]?.dev,
  );
  if (name === undefined) return undefined;
  return `${name === 'file' ? 'file' : 'log'}_${found[name] === undefined ? 'deleted' : 'replaced'}`;
}

const checkRow = z.object({ quick_check: z.string() });

/** Throws when a page of the database is damaged. It reads the whole file: about a second for each gigabyte. */
export function checkPages(file: SqliteFile): void {
  const { quick_check: result } = checkRow.parse(file.prepare('pragma quick_check(1)').get([]));
  if (result === 'ok') return;
  const message = result.split('\n').slice(0, 2).join(' ');
  throw Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode: 11 });
}

/** What the operator can do about an error. The patterns match SQLite's error code or the system's. */
const adviceByError: readonly (readonly [RegExp, string])[] = [
  [/^SQLITE_(?:CORRUPT|NOTADB|IOERR_SHORT_READ)/, 'restore the file from a backup, or name another file'],
  [
    /^SQLITE_(?:CANTOPEN|READONLY|PERM)|EACCES|EPERM|EROFS|ENOENT|ENOTDIR|EEXIST/,
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
