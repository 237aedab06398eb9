import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { z } from 'zod';

const runFile = promisify(execFile);

const packReport = z.array(
  z.object({
    filename: z.string(),
    integrity: z.string(),
    size: z.number(),
    unpackedSize: z.number(),
    files: z.array(z.object({ path: z.string(), size: z.number() })),
  }),
);

const packDist = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tarball-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const { stdout } = await runFile('npm', args, { maxBuffer: 1e8 });
  const [tarball] = packReport.parse(JSON.parse(stdout));
  if (tarball === undefined) throw new Error('npm packed nothing');
  return { ...tarball, file: join(folder, tarball.filename) };
};
let packed: ReturnType<typeof packDist> | undefined;

/** Packs the build in `dist` by `npm pack`, once in a process. The result's `file` is the path of its copy in the folder. */
export async function pack(folder: string) {
  const tarball = await (packed ??= packDist());
  const file = join(folder, tarball.filename);
  await cp(tarball.file, file);
  return { ...tarball, file };
}

/** A cache of installed packages for the other test files of the run, because installing them takes long. */
const cacheRoot = resolve('.tmp/installed');

const digest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

function cacheFolderOf(integrity: string, otherPackages: readonly string[]): string {
  return join(cacheRoot, digest(integrity), digest(otherPackages));
}

/** Copies a folder with installed packages into the cache. If another process does so too, one of the copies stays. */
async function addToCache(packages: string, cacheFolder: string): Promise<void> {
  const tarballCache = dirname(cacheFolder);
  await mkdir(tarballCache, { recursive: true });
  for (const name of await readdir(cacheRoot))
    if (name !== basename(tarballCache)) await rm(join(cacheRoot, name), { recursive: true, force: true });
  const copy = await mkdtemp(`${cacheFolder}-`);
  await cp(packages, copy, { recursive: true, verbatimSymlinks: true });
  await rename(copy, cacheFolder).catch(() => rm(copy, { recursive: true }));
}

/** A program that was started. */
export interface Program {
  /** Resolves with the first group of the first match in its output. */
  printed(pattern: RegExp): Promise<string>;
  /** What it has written so far, to standard output and standard error. */
  readonly output: string;
  kill(): Promise<void>;
  /** Sends SIGTERM, as a process manager does. Resolves with the exit code; null after a signal. */
  stop(): Promise<number | null>;
}

/** An empty folder in which the packed tarball is installed, apart from this project. */
export class CleanMachine {
  readonly folder: string;
  readonly #programs: Program[] = [];

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Creates a machine with these files and no packages. */
  static async empty(files: Readonly<Record<string, string>>): Promise<CleanMachine> {
    const machine = new CleanMachine(await mkdtemp(join(tmpdir(), 'machine-')));
    await machine.write(files);
    return machine;
  }

  /** Creates a machine on which the package and other packages are installed. */
  static async withPackage(...otherPackages: readonly string[]): Promise<CleanMachine> {
    const machine = await CleanMachine.empty({ 'package.json': '{ "private": true, "type": "module" }' });
    const { file, integrity } = await pack(machine.folder);
    const packages = join(machine.folder, 'node_modules');
    const cacheFolder = cacheFolderOf(integrity, otherPackages);
    if (existsSync(cacheFolder)) await cp(cacheFolder, packages, { recursive: true, verbatimSymlinks: true });
    else {
      await machine.npm('install', '--no-save', file, ...otherPackages);
      await addToCache(packages, cacheFolder);
    }
    return machine;
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(resolve(this.folder, name, '..'), { recursive: true });
      await writeFile(join(this.folder, name), text);
    }
  }

  async npm(command: string, ...args: readonly string[]): Promise<void> {
    await this.run('npm', command, '--no-audit', '--no-fund', '--prefer-offline', ...args);
  }

  /** Runs a command in the folder, also one of an installed package. Rejects with its output when it fails. */
  async run(command: string, ...args: readonly string[]): Promise<string> {
    try {
      const { stdout } = await runFile(command, args, { cwd: this.folder, env: this.#environment, maxBuffer: 1e8 });
      return stdout;
    } catch (error) {
      if (!(error instanceof Error) || !('stdout' in error && 'stderr' in error)) throw error;
      throw new Error(`${command} ${args.join(' ')}\n${String(error.stdout)}${String(error.stderr)}`, { cause: error });
    }
  }

  /** Starts a command that keeps running. */
  start(command: string, ...args: readonly string[]): Program {
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    // The child has its own process group, because `npx` starts the program as a grandchild, which a kill of the child would
    // not end.
    const child = spawn(command, args, { cwd: this.folder, env: this.#environment, stdio: [...stdio], detached: true });
    const ended = new Promise<void>((end) => child.once('close', () => end()));
    const lines: string[] = [];
    const listeners = new Set<() => void>();
    child.stderr.pipe(process.stderr, { end: false });
    for (const input of [child.stdout, child.stderr])
      createInterface({ input }).on('line', (line) => {
        lines.push(line);
        for (const listener of listeners) listener();
      });
    const program: Program = {
      get output() {
        return lines.join('\n');
      },
      async printed(pattern) {
        for (;;) {
          const [, match] = pattern.exec(lines.join('\n')) ?? [];
          if (match !== undefined) return match;
          const nextLine = new Promise<void>((notify) => listeners.add(notify));
          const hasEnded = await Promise.race([nextLine.then(() => false), ended.then(() => true)]);
          if (hasEnded) throw new Error(`${command} ended without printing ${String(pattern)}:\n${lines.join('\n')}`);
        }
      },
      async kill() {
        if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
          process.kill(-child.pid, 'SIGKILL');
        await ended;
      },
      async stop() {
        child.kill('SIGTERM');
        await ended;
        return child.exitCode;
      },
    };
    this.#programs.push(program);
    return program;
  }

  /** Kills the programs that are still running, and deletes the folder. */
  async remove(): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.kill()));
    await rm(this.folder, { recursive: true, force: true });
  }

  /**
   * Commands come from the folder's packages, not from this project's, and run on the Node of this process. The variables that npm
   * sets for this run are removed.
   */
  get #environment(): NodeJS.ProcessEnv {
    const variables = Object.entries(process.env).filter(([name]) => !/^(npm_(?!config_)|INIT_CWD|NODE_OPTIONS|NODE_TEST_|INVOICE_|SANDBOX_)/.test(name)); // prettier-ignore
    const path = (process.env['PATH'] ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
    const ownFolders = [join(this.folder, 'node_modules', '.bin'), dirname(process.execPath)];
    return { ...Object.fromEntries(variables), PATH: [...ownFolders, ...path].join(':') };
  }
}
