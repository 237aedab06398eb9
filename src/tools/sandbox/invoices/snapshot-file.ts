import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { makeFolder } from '../../../base/make-folder.ts';
import { toError } from '../../../base/thrown-value.ts';
import { invoiceSchema, type Invoice } from './invoice.ts';

/** The file cannot be read or written. The message is one line that names the file and what the user can do. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
}

const snapshotSchema = z.object({ sandbox: z.literal(1), invoices: z.array(invoiceSchema) });
const pauseMs = 1000;

/**
 * A file with all invoices of the sandbox. It is written a second after a change, and when the sandbox closes: a process that is
 * killed loses its last second. Each snapshot replaces the file as a whole, so that it is never half written.
 */
export class SnapshotFile {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #log: (line: string) => void;
  /** Writes what has changed since the last snapshot; undefined when nothing has. */
  #writeChanges: (() => void) | undefined;
  #hasFailed = false;

  constructor(path: string, clock: Clock, log: (line: string) => void = () => undefined) {
    this.#path = path;
    this.#clock = clock;
    this.#log = log;
  }

  /** Reads the invoices, the oldest first; none where there is no file. Throws a `SnapshotError` also when the file cannot be written. */
  read(): readonly Invoice[] {
    const { invoices } = this.#parse();
    this.#write(invoices);
    return invoices;
  }

  /** Writes the invoices in a second. When the disk is full, logs it once and tries again each second. */
  writeLater(list: () => readonly Invoice[]): void {
    if (this.#writeChanges !== undefined) return;
    this.#writeChanges = () => {
      this.#writeChanges = undefined;
      try {
        this.#write(list());
        this.#hasFailed = false;
      } catch (error) {
        if (!this.#hasFailed) this.#log(toError(error).message);
        this.#hasFailed = true;
        this.writeLater(list);
      }
    };
    this.#clock.schedule(pauseMs, () => this.#writeChanges?.(), true);
  }

  close(): void {
    this.#writeChanges?.();
  }

  #parse(): z.output<typeof snapshotSchema> {
    let text: string;
    try {
      makeFolder(dirname(this.#path));
      text = readFileSync(this.#path, 'utf8');
    } catch (thrown) {
      const error = toError(thrown);
      if (error.code === 'ENOENT') return { sandbox: 1, invoices: [] };
      throw this.#problem(`cannot be opened: ${error.message}`, 'name a file that this user can write');
    }
    try {
      return snapshotSchema.parse(JSON.parse(text));
    } catch {
      const advice = 'restore it from a copy, name another file, or move it away to start without invoices';
      throw this.#problem('is damaged, or is not a file of the sandbox', advice);
    }
  }

  #write(invoices: readonly Invoice[]): void {
    const newPath = `${this.#path}.new`;
    try {
      writeFileSync(newPath, JSON.stringify({ sandbox: 1, invoices }), { mode: 0o600 });
      renameSync(newPath, this.#path);
    } catch (error) {
      throw this.#problem(
        `cannot be written: ${toError(error).message}`,
        'make room, or name a file that this user can write',
      );
    }
  }

  #problem(problem: string, advice: string): SnapshotError {
    return new SnapshotError(`${this.#path} ${problem}: ${advice}`);
  }
}
