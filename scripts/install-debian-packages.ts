// Installs Debian packages that are missing: `tsx scripts/install-debian-packages.ts <package …>`. Where it cannot (not Debian, not
// root, no network) it prints the reason in one line, and its exit code is 0 all the same: the tests that need a missing program are
// skipped with the reason.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Runs a program until it ends, or until its time is over. */
export type Run = (program: string, args: readonly string[], timeoutMs: number) => Finished;

export interface Finished {
  /** Its exit code; null: there is no such program, or its time was over. */
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

const minute = 60_000;
const aptOptions = [
  '-qq',
  '-o',
  'DPkg::Lock::Timeout=120',
  '-o',
  'Acquire::Retries=1',
  '-o',
  'Acquire::http::Timeout=20',
];

const update: Step = { args: ['update'], timeoutMs: 2 * minute };

/** The download may be interrupted at any moment. The installation may not, and needs no network. */
const install: readonly Step[] = [
  { args: ['install', '--yes', '--no-install-recommends', '--download-only'], timeoutMs: 5 * minute },
  { args: ['install', '--yes', '--no-install-recommends', '--no-download'], timeoutMs: 10 * minute },
];

/** Installs each missing package in a call of its own, so that one failure does not stop the others. Returns whether all are installed now. */
export function installDebian(packages: readonly string[], { run, isRoot, print }: Machine): boolean {
  const missing = packages.filter((name) => !isInstalled(name, run));
  if (missing.length === 0) return true;
  const refuse = (names: readonly string[], reason: string): false => {
    print(`NOT INSTALLED: ${names.join(' ')} (${reason})`);
    return false;
  };
  if (run('apt-get', ['--version'], minute).status !== 0) return refuse(missing, 'this is not Debian');
  if (!isRoot) return refuse(missing, `only root can: apt-get install ${missing.join(' ')}`);

  /** Why the first step that failed did. */
  const failureOf = (steps: readonly Step[], names: readonly string[]): string | undefined => {
    for (const { args, timeoutMs } of steps) {
      const { status, output } = run('apt-get', [...aptOptions, ...args, ...names], timeoutMs);
      if (status !== 0) return `apt-get ${args[0]}: ${lastLine(output) || 'did not end'}`;
    }
    return undefined;
  };
  print(`Installing ${missing.join(' ')}`);
  const failure = failureOf([update], []);
  if (failure !== undefined) return refuse(missing, failure);
  const refused = missing.flatMap((name) => {
    const reason = failureOf(install, [name]);
    return reason === undefined ? [] : [refuse([name], reason)];
  });
  return refused.length === 0;
}

function isInstalled(name: string, run: Run): boolean {
  const { status, output } = run('dpkg-query', ['--show', '--showformat', '${db:Status-Status}', name], minute);
  return status === 0 && output.trim() === 'installed';
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? '';
}

const onThisMachine: Run = (program, args, timeout) => {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' };
  const { status, stdout, stderr } = spawnSync(program, args, { timeout, env, encoding: 'utf8' });
  return { status, output: [stdout, stderr].join('') };
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const isRoot = process.getuid?.() === 0;
  installDebian(process.argv.slice(2), { run: onThisMachine, isRoot, print: (line) => console.error(line) });
}
