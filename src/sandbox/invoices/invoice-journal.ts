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
import type { Journal } from './invoice-store.ts';

/** The first line of each file. A file without it is not the sandbox's, and is not changed. */
const heading = '{"journal":"pay-invoice-sandbox","version":1}\n';

/**
 * An append-only file of JSON lines, one for each transaction. A line is on the disk before `append` returns. A line that
 * was cut short by the end of the process is dropped.
 */
export class InvoiceJournal implements Journal {
  readonly #file: string;
  readonly #descriptor: number;
  #size: number;

  /** Opens or creates a file. `onLine` is called with each line that is in it. */
  constructor(file: string, onLine: (line: unknown) => void) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    this.#descriptor = openSync(file, 'a+', 0o600);
    try {
      const bytes = readFileSync(this.#descriptor);
      this.#size = bytes.lastIndexOf('\n') + 1;
      const [first, ...lines] = bytes.toString('utf8', 0, this.#size).split('\n').slice(0, -1);
      if (bytes.length > 0 && `${first ?? ''}\n` !== heading)
        throw new Error(`${file} is not a file of the sandbox: name another, or remove it`);
      for (const line of lines) onLine(JSON.parse(line));
      if (this.#size < bytes.length) ftruncateSync(this.#descriptor, this.#size);
      if (bytes.length === 0) this.#write(heading);
    } catch (error) {
      closeSync(this.#descriptor);
      throw error;
    }
  }

  /** Throws, and writes nothing, when the disk refuses or another program has written to the file. */
  append(line: readonly unknown[]): void {
    if (fstatSync(this.#descriptor).size !== this.#size)
      throw new Error(`another program writes to ${this.#file}: give each sandbox a file of its own`);
    this.#write(`${JSON.stringify(line)}\n`);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #write(text: string): void {
    const bytes = Buffer.from(text);
    try {
      for (let done = 0; done < bytes.length;) done += writeSync(this.#descriptor, bytes, done);
      fdatasyncSync(this.#descriptor);
      this.#size += bytes.length;
    } catch (error) {
      ftruncateSync(this.#descriptor, this.#size);
      throw error;
    }
  }
}
