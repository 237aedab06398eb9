// Starts the processes of the run with waiting payers: checkout servers and simulated payers.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpuOf, stopChild } from '../start-program.ts';
import type { PayersCommand, PayersReply, PayersReport, ServerReply } from './messages.ts';

export interface ServerProcess {
  readonly url: string;
  readonly metricsUrl: string;
  /** Memory in bytes, some seconds after a garbage collection. */
  memory(): Promise<{ readonly residentBytes: number; readonly heapBytes: number }>;
  /** Seconds of processor time so far. */
  cpu(): number;
  stop(): Promise<void>;
}

/** Starts a server from a built file, with one argument. */
export async function startServerProcess(
  file: string,
  argument: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const child = fork(file, [argument], {
    execArgv: ['--expose-gc'],
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const nextReply = async (): Promise<ServerReply> => {
    const exited = once(child, 'exit').then(() => Promise.reject(new Error('a server has ended')));
    return ((await Promise.race([once(child, 'message'), exited])) as [ServerReply])[0];
  };
  const { url = '', metrics } = await nextReply();
  return {
    url,
    metricsUrl: `${metrics ?? ''}/metrics`,
    async memory() {
      child.send('memory');
      const { memory } = await nextReply();
      return memory ?? { residentBytes: NaN, heapBytes: NaN };
    },
    cpu: () => cpuOf(child.pid),
    stop: () => stopChild(child, 15_000),
  };
}

export interface PayersProcess {
  open(command: Omit<Extract<PayersCommand, { do: 'open' }>, 'do'>): void;
  report(): Promise<PayersReport>;
  cpu(): number;
  stop(): Promise<void>;
}

/** Starts a process of payers from a built file. `onPaid` is called when a payer has received `paid`. */
export function startPayersProcess(file: string, onPaid: (checkoutId: string, at: number) => void): PayersProcess {
  const child = fork(file, [], { execArgv: [] });
  const send = (command: PayersCommand): void => void child.send(command);
  let onReport: (report: PayersReport) => void = () => undefined;
  child.on('message', (message: PayersReply) => {
    if (message.kind === 'paid') onPaid(message.checkoutId, message.at);
    else onReport(message.report);
  });
  return {
    open: (command) => send({ do: 'open', ...command }),
    report() {
      send({ do: 'report' });
      return new Promise((resolve) => (onReport = resolve));
    },
    cpu: () => cpuOf(child.pid),
    stop: () => stopChild(child, 15_000),
  };
}
