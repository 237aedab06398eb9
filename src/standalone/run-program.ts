import process from 'node:process';
import type { Log, LogLevel } from '../server.ts';
import { standardErrorLog } from '../server-internals.ts';
import { describeListenError } from '../base/listen-error.ts';
import { printable } from '../base/printable.ts';
import { toError } from '../base/thrown-value.ts';
import { EnvironmentError } from './environment/read-variables.ts';

/** How long closing may take, in milliseconds. Then the process exits, before a process manager kills it. */
const maxCloseMs = 14_000;

/** A program that has started: what it prints, and how it ends. */
export interface RunningProgram {
  readonly lines: readonly string[];
  /** Finishes what is under way. */
  close(): Promise<void>;
}

/**
 * Runs a program until SIGINT or SIGTERM: it prints its lines, and closes it on the signal. A second signal ends the process
 * immediately. An error that the operator can correct is printed as one line, and the exit code is then 1.
 * @example
 * ```ts
 * import { closeServer, createHttpServer, listen, runProgram } from 'pay-invoice/standalone';
 *
 * await runProgram(async () => {
 *   const server = createHttpServer();
 *   const url = await listen(server, 8080, '127.0.0.1');
 *   return { lines: [`Shop ${url}`], close: () => closeServer(server) };
 * });
 * ```
 */
export async function runProgram(start: () => Promise<RunningProgram>): Promise<void> {
  ignoreLostReaders();
  process.on('SIGUSR1', () => undefined); // otherwise Node opens a debugger, which can read every secret of the process
  try {
    const program = await start();
    stopOnSignal(program); // first: whoever reads the lines may send a signal at once
    print(`${program.lines.join('\n')}\n`);
  } catch (error) {
    fail(describeError(error), 1);
  }
}

/** The reader of the output may go away, as when `| logger` ends: the program goes on without it. */
export function ignoreLostReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** Prints a text on standard output. */
export function print(text: string): void {
  process.stdout.write(printable(text));
}

function stopOnSignal(program: RunningProgram): void {
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    const lateLine = 'It did not close in time: what was under way is continued after the next start.';
    setTimeout(() => fail([lateLine], 1), maxCloseMs).unref();
    program.close().then(
      () => process.exit(0),
      (error: unknown) => fail(describeError(error), 1),
    );
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
}

const levels: readonly LogLevel[] = ['info', 'warn', 'error'];

/**
 * Creates a log on standard error: one line of JSON for each event of `lowestLevel` or above.
 * @example
 * ```ts
 * import { createLog } from 'pay-invoice/standalone';
 *
 * const log = createLog('warn');
 * log('warn', 'stock_low', { sku: 'cup', left: 2 });
 * ```
 */
export function createLog(lowestLevel: LogLevel): Log {
  return (level, event, facts) => {
    if (levels.indexOf(level) >= levels.indexOf(lowestLevel)) standardErrorLog(level, event, facts);
  };
}

/** Prints lines on standard error and ends the process. */
export function fail(lines: readonly string[], code: number): never {
  process.stderr.write(printable(`${lines.join('\n')}\n`));
  process.exit(code);
}

/** The names of errors that the operator can correct. Their messages say how. */
const correctableErrors = ['DatabaseOpenError', 'SnapshotError', 'WidgetMissingError'];

/** One line for each problem that the operator can correct; the stack of any other error. */
export function describeError(thrown: unknown): readonly string[] {
  const error = toError(thrown);
  if (error instanceof EnvironmentError) return error.problems.map((problem) => `Cannot start: ${problem}`);
  if (error.name === 'AdminRequestError') return [error.message];
  if (correctableErrors.includes(error.name)) return [`Cannot start: ${error.message}`];
  const listenProblem = describeListenError(error, {
    port: 'PORT, SANDBOX_PORT, ADMIN_PORT or METRICS_PORT',
    host: 'HOST',
  });
  if (listenProblem !== undefined) return [`Cannot start: ${listenProblem}`];
  return [error.stack ?? error.message];
}
