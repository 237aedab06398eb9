// Starts the programs of a load run in processes of their own, and measures their processor time.
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Payers } from './payers.ts';

/** A program in a process of its own. */
export interface Program {
  /** The addresses that the program printed, by the names before them, such as `Shop`. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Seconds of processor time so far; NaN where the system does not report it. */
  cpu(): number;
  /** Ends the program, and starts it again with the same variables. Its processor time begins anew. */
  restart(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a program and resolves when it has printed an address after each of the names. */
export async function startProgram(
  file: string,
  names: readonly string[],
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<Program> {
  const addresses = new Map<string, string>();
  let child = await launch();
  return {
    addresses,
    cpu: () => cpuOf(child.pid),
    async restart(signal) {
      await stopChild(child, signal);
      child = await launch();
    },
    stop: () => stopChild(child),
  };

  async function launch(): Promise<ChildProcess> {
    addresses.clear();
    const started = spawn(process.execPath, [...flags, file], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    killAtExit(started);
    for await (const line of createInterface({ input: started.stdout })) {
      const [, name = '', address = ''] = /^\s*(\w+)\s+(http:\S+)/.exec(line) ?? [];
      addresses.set(name, address);
      if (names.every((name) => addresses.has(name))) break;
    }
    if (!names.every((name) => addresses.has(name))) throw new Error(`${file} has stopped`);
    started.stdout.resume();
    return started;
  }
}

type PayersMethod = keyof Payers;

/** A call of a method of the payers in another process. The reply has the same `id`. */
export interface PayersCall {
  readonly id: number;
  readonly method: PayersMethod;
  readonly args: readonly unknown[];
}

/** Payers in a process of their own. */
export interface PayersProcess extends Pick<Program, 'cpu' | 'stop'> {
  call<Method extends PayersMethod>(
    method: Method,
    ...args: Parameters<Payers[Method]>
  ): Promise<Awaited<ReturnType<Payers[Method]>>>;
}

/** Starts the payers of one server from the built file of `payers-process.ts`. */
export function startPayersProcess(file: string): PayersProcess {
  const child = fork(file, [], { execArgv: [] });
  const pendingCalls = new Map<
    number,
    { readonly resolve: (result: never) => void; readonly reject: (error: Error) => void }
  >();
  let lastId = 0;
  child.on('message', ({ id, result }: { readonly id: number; readonly result: never }) => {
    pendingCalls.get(id)?.resolve(result);
    pendingCalls.delete(id);
  });
  child.on('exit', () => {
    for (const { reject } of pendingCalls.values()) reject(new Error('the process of the payers has ended'));
  });
  return {
    call(method, ...args) {
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        pendingCalls.set(id, { resolve, reject });
        child.send({ id, method, args } satisfies PayersCall, (error) => error && reject(error));
      });
    },
    cpu: () => cpuOf(child.pid),
    stop: () => stopChild(child),
  };
}

/** Kills a process when this one exits, whatever the reason. */
export function killAtExit(child: ChildProcess): void {
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
}

/** Ends a process with a signal, and with SIGKILL when it has not ended within 10 s. */
export async function stopChild(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  const killTimer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exited;
  clearTimeout(killTimer);
}

/** Seconds of processor time of a process. */
function cpuOf(pid: number | undefined): number {
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
