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
import { toError } from '../../../base/thrown-value.ts';
import type { Invoice } from './invoice.ts';
import { JournalError, type Journal } from './invoice-store.ts';

/** The first line of each journal. A file without this line does not belong to the sandbox and is never changed. */
const headerLine = '{"journal":"pay-invoice-sandbox","version":1}\n';
const newline = 0x0a;

/**
 * An append-only file of JSON lines, one for each new state of an invoice. A line is on the disk before `append` returns. A
 * last line that a crash cut short is dropped with a warning: its request was never answered.
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
    const advice = 'name a file that this user can write, or correct its folder';
    this.#descriptor = explainErrors(`${file} cannot be opened`, advice, () => {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      return openSync(file, 'a+', 0o600);
    });
    try {
      if (!fstatSync(this.#descriptor).isFile())
        throw new JournalError(`${file} is not a regular file: name another file for the sandbox`);
      const bytes = explainErrors(`${file} cannot be opened`, advice, () => readFileSync(this.#descriptor));
      this.#size = bytes.lastIndexOf(newline) + 1;
      const head = bytes.toString('latin1', 0, headerLine.length);
      if (this.#size === 0 ? !headerLine.startsWith(head) || bytes.length > head.length : head !== headerLine)
        throw new JournalError(`${file} is not a file of the sandbox: name another, or remove it`);
      readLines(file, bytes.subarray(headerLine.length, this.#size), onLine);
      const incompleteBytes = bytes.length - this.#size;
      this.#hasIncompleteLine = incompleteBytes > 0;
      if (incompleteBytes > 0)
        warn(`${file}: the last line was cut short and is dropped (${incompleteBytes} bytes); the rest is kept`);
      this.#append(this.#size === 0 ? headerLine : '');
    } catch (error) {
      closeSync(this.#descriptor);
      throw error;
    }
  }

  /** @throws JournalError when the write fails, or another program has written to the file; nothing is then stored */
  append(invoice: Invoice): void {
    this.#append(`${JSON.stringify(invoice)}\n`);
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
      try {
        if (this.#hasIncompleteLine) this.#truncate();
      } catch {
        // the next write truncates the file first
      }
      throw new JournalError(`${this.#file} cannot be written: ${toError(error).message}`, { cause: error });
    }
  }

  #truncate(): void {
    ftruncateSync(this.#descriptor, this.#size);
    this.#hasIncompleteLine = false;
  }
}

/** Reads the lines after the header. */
function readLines(file: string, bytes: Buffer, onLine: (line: unknown) => void): void {
  const advice = 'restore the file from a copy, delete this line, or move the file away to start without invoices';
  for (let start = 0, line = 2; start < bytes.length; line += 1) {
    const end = bytes.indexOf(newline, start);
    explainErrors(`${file}, line ${line} is damaged`, advice, () => onLine(parseLine(bytes.subarray(start, end))));
    start = end + 1;
  }
}

function parseLine(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new Error(error instanceof SyntaxError ? 'it is not JSON' : 'it is not UTF-8', { cause: error });
  }
}

/** Calls a function. Its error becomes a JournalError with a text before it and advice after it. */
function explainErrors<T>(subject: string, advice: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    throw new JournalError(`${subject}: ${toError(cause).message}: ${advice}`, { cause });
  }
}
