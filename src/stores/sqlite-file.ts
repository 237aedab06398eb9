import { closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import type { SqliteDatabase } from 'kysely';
import { z } from 'zod';

/** The libraries that can open the file: the one of Node.js 22.13 and later, and the package `libsql`. */
export type SqliteDriverName = 'node:sqlite' | 'libsql';

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

/** Opens a file, which is created for its owner alone when it is missing. @throws errors with `sqliteCode` */
export type OpenSqliteFile = (path: string) => SqliteFile;

/** A package that is not installed. The message says what to do. */
export class MissingDriverError extends Error {
  override readonly name = 'MissingDriverError';
  readonly code = 'driver_missing';
  readonly path = 'store';
}

/** The library that is used when none is chosen. */
export function defaultSqliteDriver(): SqliteDriverName {
  return nodeSqlite() === undefined ? 'libsql' : 'node:sqlite';
}

/** Loads a library. @throws MissingDriverError */
export async function loadSqliteDriver(name = defaultSqliteDriver()): Promise<OpenSqliteFile> {
  const node = name === 'node:sqlite' ? nodeSqlite() : undefined;
  const open = node === undefined ? await loadLibsql() : (path: string) => openWithNode(node, path);
  return (path) => {
    if (path !== ':memory:') createForOwner(path);
    return open(path);
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

async function loadLibsql(): Promise<OpenSqliteFile> {
  const { default: Libsql } = await import('libsql').catch((cause: unknown) => {
    const advice = 'use Node 22.13 or later, or run npm install libsql';
    throw new MissingDriverError(`Node ${process.versions.node} has no SQLite: ${advice}`, { cause });
  });
  return (path) => {
    const file = new Libsql(path);
    return {
      prepare(sql) {
        const statement = file.prepare(sql);
        // libsql asks the database for each read of the property.
        return Object.defineProperty(statement, 'reader', { value: statement.reader });
      },
      exec: (sql) => void file.exec(sql),
      close: () => void file.close(),
    };
  };
}

/** The part of `node:sqlite` that is used. */
interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => {
    prepare(sql: string): NodeStatement;
    exec(sql: string): void;
    close(): void;
  };
}

interface NodeStatement {
  all(...parameters: readonly unknown[]): readonly object[];
  get(...parameters: readonly unknown[]): object | undefined;
  run(...parameters: readonly unknown[]): { readonly changes: number; readonly lastInsertRowid: number };
  iterate(...parameters: readonly unknown[]): IterableIterator<unknown>;
  /** Since Node 22.16. */
  columns?(): readonly unknown[];
}

function nodeSqlite(): NodeSqlite | undefined {
  const module: object | undefined = process.getBuiltinModule('node:sqlite');
  return isNodeSqlite(module) ? module : undefined;
}

const isNodeSqlite = (module: object | undefined): module is NodeSqlite =>
  module !== undefined && 'DatabaseSync' in module;

/** The beginning, or a part, of a statement that returns rows. */
const rowsPattern = /^\s*(?:select|with|pragma|values|explain)\b|\breturning\b/i;

function openWithNode({ DatabaseSync }: NodeSqlite, path: string): SqliteFile {
  const file = new DatabaseSync(path);
  return {
    prepare(sql) {
      const statement = file.prepare(sql);
      return {
        reader: statement.columns === undefined ? rowsPattern.test(sql) : statement.columns().length > 0,
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
const namedError = z.object({ code: z.string().startsWith('SQLITE_') });

/** The name of SQLite's result code in an error of either library, such as `SQLITE_BUSY`; undefined for other errors. */
export function sqliteCode(error: unknown): string | undefined {
  const named = namedError.safeParse(error);
  if (named.success) return named.data.code;
  const ofNode = nodeError.safeParse(error);
  if (!ofNode.success) return undefined;
  const { errcode } = ofNode.data;
  return codes[errcode] ?? codes[errcode & 0xff] ?? 'SQLITE_ERROR';
}

/** Whether other users of the machine can read a file or write it; false where the system has no such rights, or no file. */
export function isOpenToOthers(path: string): boolean {
  const hasRights = (name: string, rights: number): boolean =>
    ((statSync(name, { throwIfNoEntry: false })?.mode ?? 0) & rights) !== 0;
  return process.platform !== 'win32' && hasRights(path, 0o077) && hasRights(dirname(path), 0o011);
}
