// Starts the example's programs in processes of their own, and measures their processor time.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

/** A program of the example in a process of its own. */
export interface Program {
  /** The addresses that the program printed, by the names before them, such as `Shop`. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Seconds of processor time so far; NaN where the system does not report it. */
  cpu(): number;
  stop(): Promise<void>;
}

/** Starts a program and resolves when it has printed an address after each of the names. */
export async function startProgram(
  file: string,
  names: readonly string[],
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<Program> {
  const child = spawn(process.execPath, [...flags, file], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const addresses = new Map<string, string>();
  for await (const line of createInterface({ input: child.stdout })) {
    const [, name = '', address = ''] = /^\s*(\w+)\s+(http:\S+)/.exec(line) ?? [];
    addresses.set(name, address);
    if (names.every((name) => addresses.has(name))) break;
  }
  if (!names.every((name) => addresses.has(name))) throw new Error(`${file} has stopped`);
  child.stdout.resume();
  return {
    addresses,
    cpu: () => cpuOf(child.pid),
    stop: () => stopChild(child, 10_000),
  };
}

/** Ends a process with SIGTERM, and with SIGKILL when it has not ended within `patienceMs`. */
export async function stopChild(child: ChildProcess, patienceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const killTimer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await exited;
  clearTimeout(killTimer);
}

/** Seconds of processor time of a process. */
export function cpuOf(pid: number | undefined): number {
  try {
    const [, statText = ''] = readFileSync(`/proc/${pid ?? 0}/stat`, 'latin1').split(') ');
    const fields = statText.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return NaN; // the system is not Linux, or the process has ended
  }
}

/** Finds a free port. Another program may take the port before it is used. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
