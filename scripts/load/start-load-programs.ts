// Starts the programs of a load run: the sandbox, the servers on one database, and a process of payers for each server.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { realPorts } from '../../src/tools/conformance/conformance-options.ts';
import { SandboxClient } from '../../src/tools/conformance/sandbox-client.ts';
import { buildPrograms } from '../build/build-programs.ts';
import { startPostgres, type TemporaryPostgres } from '../with-postgres.ts';
import { startProxy, type Proxy } from './start-proxy.ts';
import { findFreePort, startPayersProcess, startProgram, type PayersProcess, type Program } from './start-program.ts';

export interface ServerOptions {
  /** How many servers run on one database; each has its own payers. */
  readonly servers: number;
  /** Whether the servers store in a temporary PostgreSQL instead of SQLite. */
  readonly usesPostgres: boolean;
  /** Whether the payers of each process reach all servers through a proxy, instead of one server directly. */
  readonly usesProxy: boolean;
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
  /** Where the first payers send. */
  readonly url: string;
  readonly servers: readonly Program[];
  /** The payers of each server. */
  readonly payers: readonly PayersProcess[];
  /** The proxy of each process of payers; empty without proxies. */
  readonly proxies: readonly Proxy[];
  readonly postgres: TemporaryPostgres | undefined;
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
    // One that fails does not keep the others from running.
    for (const cleanup of cleanups.splice(0).reverse()) await Promise.resolve().then(cleanup).catch(console.error);
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
  const { hooks, fetchesPerSecond, profile, heapMegabytes } = options;
  const flags = [
    ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
    ...(heapMegabytes === undefined ? [] : [`--max-old-space-size=${heapMegabytes}`]),
  ];
  const findPorts = (): Promise<number[]> => Promise.all(Array.from({ length: options.servers }, findFreePort));
  const serverPorts = await findPorts();
  const payersPorts = options.usesProxy ? await findPorts() : serverPorts;
  const servers: Program[] = [];
  const proxies: Proxy[] = [];
  const payers: PayersProcess[] = [];
  for (const [position, port] of serverPorts.entries()) {
    const url = `http://127.0.0.1:${payersPorts[position] ?? port}`;
    const variables = {
      PORT: String(port),
      METRICS_PORT: '0',
      DATA_DIR: path.join(folder, 'server'),
      DATABASE_URL: postgres?.url ?? '',
      TRUST_PROXY: '1',
      INVOICE_BASE_URL: sandboxUrl,
      INVOICE_ACCESS_TOKEN: 'sandbox-token',
      INVOICE_MODE: 'TEST',
      PUBLIC_URL: hooks ? url : 'http://127.0.0.1:9', // no server listens on port 9
      ...(fetchesPerSecond === undefined ? {} : { INVOICE_FETCHES_PER_SECOND: String(fetchesPerSecond) }),
    };
    servers.push(stopLater(await startProgram(builtPrograms.file('server'), ['Server', 'Metrics'], variables, flags)));
    const group = stopLater(startPayersProcess(builtPrograms.file('payers')));
    await group.call('configure', { url, sandboxUrl, firstIndex: position * 1_000_000 });
    payers.push(group);
  }
  if (options.usesProxy)
    for (const port of payersPorts) proxies.push(stopLater(await startProxy(folder, port, serverPorts)));
  const sandbox = new SandboxClient(sandboxUrl, realPorts);
  const url = `http://127.0.0.1:${payersPorts[0] ?? 0}`;
  return { url, servers, payers, proxies, postgres, sandboxProgram, sandbox };
}
