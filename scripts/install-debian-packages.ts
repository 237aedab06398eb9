// Installs Debian packages that are missing: `tsx scripts/install-debian-packages.ts <package …>`. Where it cannot (not Debian, not
// root, no network) it prints the reason in one line, and its exit code is 0 all the same: the tests that need a missing program are
// skipped with the reason.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Runs a program until it ends, or until the timeout. */
export type Run = (program: string, args: readonly string[], timeoutMs: number) => ProgramResult;

export interface ProgramResult {
  /** The exit code; null when there is no such program, or it did not end before the timeout. */
  readonly status: number | null;
  readonly output: string;
}

interface Step {
  readonly args: readonly string[];
  readonly timeoutMs: number;
}

export interface Machine {
  readonly run: Run;
  readonly isRoot: boolean;
  readonly print: (line: string) => void;
}

const minuteMs = 60_000;
const aptOptions = [
  '-qq',
  '-o',
  'DPkg::Lock::Timeout=120',
  '-o',
  'Acquire::Retries=1',
  '-o',
  'Acquire::http::Timeout=20',
];

const update: Step = { args: ['update'], timeoutMs: 2 * minuteMs };

/** The download can be interrupted safely. The installation cannot, and therefore runs without the network. */
const install: readonly Step[] = [
  { args: ['install', '--yes', '--no-install-recommends', '--download-only'], timeoutMs: 5 * minuteMs },
  { args: ['install', '--yes', '--no-install-recommends', '--no-download'], timeoutMs: 10 * minuteMs },
];

/** Installs each missing package by a separate call, so that a failure does not prevent the others. Returns whether all are installed. */
export function installDebian(packages: readonly string[], { run, isRoot, print }: Machine): boolean {
  const missingPackages = packages.filter((name) => !isInstalled(name, run));
  if (missingPackages.length === 0) return true;
  const reportNotInstalled = (names: readonly string[], reason: string): false => {
    print(`NOT INSTALLED: ${names.join(' ')} (${reason})`);
    return false;
  };
  if (run('apt-get', ['--version'], minuteMs).status !== 0)
    return reportNotInstalled(missingPackages, 'this is not Debian');
  if (!isRoot)
    return reportNotInstalled(missingPackages, `only root can: apt-get install ${missingPackages.join(' ')}`);

  /** Runs steps of apt-get. Returns the reason of the first failure, or undefined. */
  const runSteps = (steps: readonly Step[], names: readonly string[]): string | undefined => {
    for (const { args, timeoutMs } of steps) {
      const { status, output } = run('apt-get', [...aptOptions, ...args, ...names], timeoutMs);
      if (status !== 0) return `apt-get ${args[0]}: ${lastLine(output) || 'did not end'}`;
    }
    return undefined;
  };
  print(`Installing ${missingPackages.join(' ')}`);
  const updateFailure = runSteps([update], []);
  if (updateFailure !== undefined) return reportNotInstalled(missingPackages, updateFailure);
  const failedPackages = missingPackages.flatMap((name) => {
    const reason = runSteps(install, [name]);
    return reason === undefined ? [] : [reportNotInstalled([name], reason)];
  });
  return failedPackages.length === 0;
}

function isInstalled(name: string, run: Run): boolean {
  const { status, output } = run('dpkg-query', ['--show', '--showformat', '${db:Status-Status}', name], minuteMs);
  return status === 0 && output.trim() === 'installed';
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? '';
}

const runOnThisMachine: Run = (program, args, timeout) => {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' };
  const { status, stdout, stderr } = spawnSync(program, args, { timeout, env, encoding: 'utf8' });
  return { status, output: [stdout, stderr].join('') };
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const isRoot = process.getuid?.() === 0;
  installDebian(process.argv.slice(2), { run: runOnThisMachine, isRoot, print: (line) => console.error(line) });
}
