import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { StoreUnavailableError } from '../server.ts';
import { sqliteCode, type SqliteFile } from './sqlite-file.ts';

const headerBytes = 100;

/**
 * Throws when the path is not a regular file, or when the file is shorter than its header says. In WAL mode, SQLite would open
 * a shortened file and write into it. The size of a file with a log (`-wal`) is not checked, because its header may be newer
 * than its other pages.
 */
export function checkSqliteFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isFile()) throw new Error('it is not a regular file: name another file');
  const hasLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (!hasLog && stats.size < sizeInHeader(path))
    throw new Error('it was cut short: restore the file from a backup, or name another file');
}

/** How long the answer of the function of `watchIdentity` is used again, in milliseconds. */
const identityCheckMs = 500;

/**
 * Returns a function that throws when the path no longer names the file that is open, because the file was deleted or replaced:
 * SQLite would go on with the file that has no name, and its data would be lost at the next start. The path is looked up at most
 * twice a second.
 * @throws StoreUnavailableError `file_deleted` or `file_replaced`, until the open file is back at its path
 */
export function watchIdentity(path: string, clock: Clock): (isFresh?: boolean) => void {
  const openFile = statSync(path);
  let checkedAt = clock.now();
  let reason: string | undefined;
  return (isFresh = false) => {
    if (isFresh || clock.now() - checkedAt >= identityCheckMs) {
      const stats = statSync(path, { throwIfNoEntry: false });
      const isSame = stats?.ino === openFile.ino && stats.dev === openFile.dev;
      reason = isSame ? undefined : stats === undefined ? 'file_deleted' : 'file_replaced';
      checkedAt = clock.now();
    }
    if (reason !== undefined) throw new StoreUnavailableError(reason);
  };
}

const checkRow = z.object({ quick_check: z.string() });

/** Throws when a page of the database is damaged. It reads the whole file: about a second for each gigabyte. */
export function checkPages(file: SqliteFile): void {
  const { quick_check: result } = checkRow.parse(file.prepare('pragma quick_check(1)').get([]));
  if (result === 'ok') return;
  const message = result.split('\n').slice(0, 2).join(' ');
  throw Object.assign(new Error(message), { code: 'SQLITE_CORRUPT' });
}

/**
 * The file size in bytes according to the header (https://sqlite.org/fileformat.html#the_database_header); 0 without a header.
 */
function sizeInHeader(path: string): number {
  const header = Buffer.alloc(headerBytes);
  const descriptor = openSync(path, 'r');
  try {
    readSync(descriptor, header, 0, headerBytes, 0);
  } finally {
    closeSync(descriptor);
  }
  if (header.toString('latin1', 0, 16) !== 'SQLite format 3\0') return 0;
  const pageSize = header.readUInt16BE(16);
  return (pageSize === 1 ? 65_536 : pageSize) * header.readUInt32BE(28);
}

/** What the operator can do about an error. The patterns match SQLite's error code or the driver's message. */
const adviceByError: readonly (readonly [RegExp, string])[] = [
  [/^SQLITE_(?:CORRUPT|NOTADB|IOERR_SHORT_READ)/, 'restore the file from a backup, or name another file'],
  [
    /^SQLITE_(?:CANTOPEN|READONLY|PERM)|Unable to open connection|EACCES|EROFS/,
    'name a file in a folder that this user can write',
  ],
  [/^SQLITE_FULL/, 'make room on the disk'],
];

/** The advice to append to the message of an error that occurred when the file was opened; empty without advice. */
export function adviceFor(error: unknown): string {
  const reason = `${sqliteCode(error) ?? ''} ${error instanceof Error ? error.message : String(error)}`;
  const [, text] = adviceByError.find(([pattern]) => pattern.test(reason)) ?? [];
  return text === undefined ? '' : `: ${text}`;
}
