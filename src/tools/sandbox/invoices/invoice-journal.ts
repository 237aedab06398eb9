import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { JournalError, type Journal } from './invoice-store.ts';

/** The first line of each journal. A file without this line does not belong to the sandbox and is never changed. */
const headerLine = '{"journal":"pay-invoice-sandbox","version":1}\n';
const newline = 0x0a;

/**
 * An append-only file of JSON lines, one for each transaction. A line is on the disk before `append` returns. A last line
 * that a crash cut short is dropped with a warning: its transaction was never acknowledged.
 */
export class InvoiceJournal implements Journal {
  readonly #file: string;
  readonly #descriptor: number;
  #size = 0;
  /** Whether part of a line may follow `#size` bytes, because a write failed and the file could not be truncated. */
  #hasIncompleteLine = false;

  /**
   * Opens or creates a file. Calls `onLine` with each line of the file; `onLine` throws when a line is malformed.
   * @throws JournalError when the file cannot be opened or is damaged; the file is then not changed
   */
  constructor(file: string, onLine: (line: unknown) => void, warn: (line: string) => void = () => undefined) {
    this.#file = file;
    this.#descriptor = openFile(file);
    try {
      const bytes = readBytes(file, this.#descriptor);
      const completeLines = bytes.subarray(0, bytes.lastIndexOf(newline) + 1);
      const incompleteBytes = bytes.length - completeLines.length;
      readLines(file, completeLines, incompleteBytes === 0 || headerLine.startsWith(bytes.toString('latin1')), onLine);
      this.#size = completeLines.length;
      if (incompleteBytes > 0) {
        this.#hasIncompleteLine = true;
        warn(`${file}: the last line was cut short and is dropped (${incompleteBytes} bytes); the rest is kept`);
      }
      this.#append(completeLines.length === 0 ? headerLine : '');
    } catch (error) {
      closeSync(this.#descriptor);
      throw error;
    }
  }

  /** @throws JournalError when the write fails, or another program has written to the file; nothing is then stored */
  append(line: readonly unknown[]): void {
    this.#append(`${JSON.stringify(line)}\n`);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #append(text: string): void {
    const bytes = Buffer.from(text);
    try {
      if (this.#hasIncompleteLine) this.#truncate();
      if (fstatSync(this.#descriptor).size !== this.#size)
        throw new JournalError(`another program writes to ${this.#file}: give each sandbox a file of its own`);
      this.#hasIncompleteLine = true;
      for (let writtenBytes = 0; writtenBytes < bytes.length;)
        writtenBytes += writeSync(this.#descriptor, bytes, writtenBytes);
      fdatasyncSync(this.#descriptor);
      this.#size += bytes.length;
      this.#hasIncompleteLine = false;
    } catch (error) {
      if (error instanceof JournalError) throw error;
      this.#tryToTruncate();
      throw new JournalError(`${this.#file} cannot be written: ${errorMessage(error)}`, { cause: error });
    }
  }

  #truncate(): void {
    ftruncateSync(this.#descriptor, this.#size);
    this.#hasIncompleteLine = false;
  }

  #tryToTruncate(): void {
    try {
      if (this.#hasIncompleteLine) this.#truncate();
    } catch {
      // the next write truncates the file first
    }
  }
}

function openFile(file: string): number {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return openSync(file, 'a+', 0o600);
  } catch (error) {
    throw createOpenError(file, error);
  }
}

function readBytes(file: string, descriptor: number): Buffer {
  if (!fstatSync(descriptor).isFile())
    throw new JournalError(`${file} is not a regular file: name another file for the sandbox`);
  try {
    return readFileSync(descriptor);
  } catch (error) {
    throw createOpenError(file, error);
  }
}

function createOpenError(file: string, error: unknown): JournalError {
  return new JournalError(
    `${file} cannot be opened: ${errorMessage(error)}: name a file that this user can write, or correct its folder`,
    { cause: error },
  );
}

/** Reads complete lines. `mayLackHeader` says whether a file without any complete line may be a journal of the sandbox. */
function readLines(file: string, bytes: Buffer, mayLackHeader: boolean, onLine: (line: unknown) => void): void {
  const isSandboxFile =
    bytes.length === 0 ? mayLackHeader : bytes.toString('latin1', 0, headerLine.length) === headerLine;
  if (!isSandboxFile) throw new JournalError(`${file} is not a file of the sandbox: name another, or remove it`);
  for (let start = headerLine.length, line = 2; start < bytes.length; line += 1) {
    const end = bytes.indexOf(newline, start);
    try {
      readLine(bytes.subarray(start, end), onLine);
    } catch (error) {
      throw new JournalError(
        `${file}, line ${line} is damaged: ${errorMessage(error)}: ` +
          'restore the file from a copy, delete this line, or move the file away to start without invoices',
        { cause: error },
      );
    }
    start = end + 1;
  }
}

function readLine(bytes: Buffer, onLine: (line: unknown) => void): void {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new Error(error instanceof SyntaxError ? 'it is not JSON' : 'it is not UTF-8', { cause: error });
  }
  onLine(value);
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
