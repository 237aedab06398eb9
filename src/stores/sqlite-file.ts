import { closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import type { SqliteDatabase } from 'kysely';
import { z } from 'zod';

/** A path. An address such as `sqlite:///shop.db`, which other programs take, would be a file in a new folder of that name. */
export const noUrl = /^(?![a-z]{2,}:)/i;

type Statement = ReturnType<SqliteDatabase['prepare']> & {
  /** Returns the first row, or undefined. */
  get(parameters: readonly unknown[]): unknown;
};

/** An open file of SQLite, in the form in which Kysely uses it. */
export interface SqliteFile extends SqliteDatabase {
  prepare(sql: string): Statement;
  /** Runs statements whose rows are not needed. */
  exec(sql: string): void;
}

/** A statement of `node:sqlite`. Kysely passes on values whose types are unknown; SQLite refuses those that it cannot store. */
interface NodeStatement {
  all(...parameters: readonly unknown[]): readonly object[];
  get(...parameters: readonly unknown[]): unknown;
  run(...parameters: readonly unknown[]): ReturnType<Statement['run']>;
  iterate(...parameters: readonly unknown[]): IterableIterator<unknown>;
  columns(): readonly unknown[];
}

/**
 * Opens a file. One that is missing is created for its owner alone, unless it is opened only for reads.
 * @throws errors with `sqliteCode`
 */
export function openSqliteFile(path: string, { readOnly = false } = {}): SqliteFile {
  // Not imported: Node would warn each program that imports the entry, and some bundlers do not know the module.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  if (path !== ':memory:' && !readOnly) createForOwner(path);
  const file = new DatabaseSync(path, { readOnly });
  return {
    prepare(sql) {
      const statement: NodeStatement = file.prepare(sql);
      return {
        reader: statement.columns().length > 0,
        // A row has no prototype, which surprises programs that compare it or ask it for a property.
        all: (parameters) => statement.all(...parameters).map((row) => ({ ...row })),
        get: (parameters) => statement.get(...parameters),
        run: (parameters) => statement.run(...parameters),
        iterate: (parameters) => statement.iterate(...parameters),
      };
    },
    exec: (sql) => file.exec(sql),
    close: () => file.close(),
  };
}

/**
 * Creates a missing file for its owner alone; SQLite gives the files of its log the same permissions. A file that exists is not
 * opened: closing it would end the locks of the connections that this process has to it.
 */
function createForOwner(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** SQLite's primary result codes that the store tells apart, and one extended code (https://sqlite.org/rescode.html). */
const codes: Readonly<Record<number, string>> = {
  3: 'SQLITE_PERM',
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  7: 'SQLITE_NOMEM',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  15: 'SQLITE_PROTOCOL',
  26: 'SQLITE_NOTADB',
  522: 'SQLITE_IOERR_SHORT_READ',
};

const nodeError = z.object({ code: z.literal('ERR_SQLITE_ERROR'), errcode: z.int() });

/** The name of SQLite's result code in an error, such as `SQLITE_BUSY`; undefined for other errors. */
export function sqliteCode(error: unknown): string | undefined {
  const { success, data } = nodeError.safeParse(error);
  if (!success) return undefined;
  const { errcode } = data;
  return codes[errcode] ?? codes[errcode & 0xff] ?? 'SQLITE_ERROR';
}

/** Whether other users of the machine can read a file or write it; false where the system has no such rights, or no file. */
export function isOpenToOthers(path: string): boolean {
  const hasRights = (name: string, rights: number): boolean =>
    ((statSync(name, { throwIfNoEntry: false })?.mode ?? 0) & rights) !== 0;
  return process.platform !== 'win32' && hasRights(path, 0o077) && hasRights(dirname(path), 0o011);
}
