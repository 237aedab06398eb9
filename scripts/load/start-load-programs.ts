// Starts the programs of a load run: the sandbox, the servers on one database, and a process of payers for each server.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { realPorts } from '../../src/tools/conformance/conformance-options.ts';
import { SandboxClient } from '../../src/tools/conformance/sandbox-client.ts';
import { buildPrograms } from '../build/build-programs.ts';
import { startPostgres } from '../with-postgres.ts';
import { findFreePort, startPayersProcess, startProgram, type PayersProcess, type Program } from './start-program.ts';

export interface ServerOptions {
  /** How many servers run on one database; each has its own payers. More than one needs PostgreSQL. */
  readonly processes: number;
  /** Whether the servers store in a temporary PostgreSQL instead of SQLite. */
  readonly usesPostgres: boolean;
  /** Whether the service's webhooks reach the servers; without webhooks only the status poller detects payments. */
  readonly hooks: boolean;
  /** FetchInvoices calls a second of each server; undefined: the server's default. */
  readonly fetchesPerSecond: number | undefined;
  /** The folder for a processor profile of the servers. Undefined: no profile is recorded. */
  readonly profile: string | undefined;
  /** Node's --max-old-space-size for a server, in megabytes; undefined: Node's default. */
  readonly heapMegabytes: number | undefined;
}

export interface LoadPrograms {
  readonly servers: readonly (Program & { readonly port: number })[];
  /** The payers of each server. */
  readonly payers: readonly PayersProcess[];
  readonly sandboxProgram: Program;
  readonly sandbox: SandboxClient;
}

/** Starts the programs. `stop` ends those that run, and removes their files. */
export async function startLoadPrograms(
  options: ServerOptions,
): Promise<{ readonly programs: LoadPrograms; readonly stop: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'load-'));
  const cleanups: (() => unknown)[] = [() => rm(folder, { recursive: true })];
  const stop = async (): Promise<void> => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  };
  try {
    return { programs: await startPrograms(options, folder, cleanups), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startPrograms(
  options: ServerOptions,
  folder: string,
  cleanups: (() => unknown)[],
): Promise<LoadPrograms> {
  const stopLater = <T extends { stop(): Promise<void> }>(program: T): T => {
    cleanups.push(() => program.stop());
    return program;
  };
  const builtPrograms = await buildPrograms({
    server: 'test/support/standalone-server-program.ts',
    sandbox: 'src/bin/sandbox.ts',
    payers: 'scripts/load/payers-process.ts',
  });
  cleanups.push(() => builtPrograms.remove());
  const postgres = options.usesPostgres ? await startPostgres('on') : undefined;
  if (postgres !== undefined) stopLater(postgres);
  else if (options.usesPostgres) throw new Error('PostgreSQL is not installed');
  const sandboxVariables = {
    SANDBOX_PORT: '0',
    SANDBOX_QR_GENERATION_MS: '0',
    SANDBOX_INVOICE_LIFETIME_MS: '21600000',
  };
  const sandboxProgram = stopLater(await startProgram(builtPrograms.file('sandbox'), ['Sandbox'], sandboxVariables));
  const sandboxUrl = sandboxProgram.addresses.get('Sandbox') ?? '';
  const servers: LoadPrograms['servers'][number][] = [];
  const payers: PayersProcess[] = [];
  const { hooks, fetchesPerSecond, profile, heapMegabytes } = options;
  const flags = [
    ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
    ...(heapMegabytes === undefined ? [] : [`--max-old-space-size=${heapMegabytes}`]),
  ];
  while (servers.length < options.processes) {
    const port = await findFreePort();
    const variables = {
      PORT: String(port),
      METRICS_PORT: '0',
      DATA_DIR: path.join(folder, 'server'),
      DATABASE_URL: postgres?.url ?? '',
      TRUST_PROXY: '1',
      INVOICE_BASE_URL: sandboxUrl,
      INVOICE_ACCESS_TOKEN: 'sandbox-token',
      INVOICE_MODE: 'TEST',
      PUBLIC_URL: `http://127.0.0.1:${hooks ? port : 9}`, // no server listens on port 9
      ...(fetchesPerSecond === undefined ? {} : { INVOICE_FETCHES_PER_SECOND: String(fetchesPerSecond) }),
    };
    const server = await startProgram(builtPrograms.file('server'), ['Server', 'Metrics'], variables, flags);
    servers.push({ ...stopLater(server), port });
    payers.push(stopLater(startPayersProcess(builtPrograms.file('payers'))));
  }
  return { servers, payers, sandboxProgram, sandbox: new SandboxClient(sandboxUrl, realPorts) };
}
