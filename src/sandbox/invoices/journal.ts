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
import type { Log } from './invoice-store.ts';

/** Stands at the beginning of a journal: a file without it is not one, and is left as it is. */
const heading = '{"journal":"pay-invoice-sandbox","version":1}\n';

/**
 * A file of JSON, one line for what was written as one. A line is on the disk before `append` returns; one that was cut
 * short by the end of the process counts as never written.
 */
export class Journal implements Log {
  readonly #file: string;
  readonly #descriptor: number;
  #size: number;

  /** Opens a file or makes it; `take` gets the lines that are there, in their order. */
  constructor(file: string, take: (line: unknown) => void) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    this.#descriptor = openSync(file, 'a+', 0o600);
    try {
      const bytes = readFileSync(this.#descriptor);
      this.#size = bytes.lastIndexOf('\n') + 1;
      const [first, ...lines] = bytes.toString('utf8', 0, this.#size).split('\n').slice(0, -1);
      if (bytes.length > 0 && `${first ?? ''}\n` !== heading)
        throw new Error(`${file} is not a file of the sandbox: name another, or remove it`);
      for (const line of lines) take(JSON.parse(line));
      if (this.#size < bytes.length) ftruncateSync(this.#descriptor, this.#size);
      if (bytes.length === 0) this.#write(heading);
    } catch (error) {
      closeSync(this.#descriptor);
      throw error;
    }
  }

  /** Throws, with nothing written, when it cannot be written or another program has written to the file. */
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
