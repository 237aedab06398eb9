import { readdirSync } from 'node:fs';

/** Modules that are mutated together, and the tests that have to notice. Paths are from the project's root. */
export interface Group {
  readonly name: string;
  readonly modules: readonly string[];
  /** Folders or files of tests; those that take long and notice nothing more are left out. */
  readonly tests: readonly string[];
  readonly slow?: readonly string[];
}

const inFolder = (folder: string, names: string): readonly string[] =>
  names.split(' ').map((name) => `${folder}/${name}.ts`);

export const groups: readonly Group[] = [
  {
    name: 'contract',
    modules: inFolder('src/contract', 'decimal duration timestamp wire-error status-code tolerant'),
    tests: ['test/contract'],
  },
  {
    name: 'core',
    modules: inFolder(
      'src/core',
      'reducer apply state-of vet deadline pace backoff poller asker heartbeat sleep-watch',
    ),
    tests: ['test/core'],
  },
  {
    name: 'retry',
    modules: inFolder('src/server', 'retry retry-after retry-backoff retry-budget retry-decision'),
    tests: ['test/server/retry', 'test/server/invoice-service-client'],
    slow: inFolder('test/server', 'invoice-service-client-sockets.test invoice-service-client-secrets.test'),
  },
  {
    name: 'handler',
    modules: inFolder('src/server', 'handler route origin problem-answer read-ask read-json bounded-body'),
    tests: ['test/server'],
    slow: [
      ...inFolder('test/server', 'invariants.test watcher.test node-listener-bodies.test node-listener.test'),
      'test/server/invoice-service',
    ],
  },
  {
    name: 'store',
    modules: inFolder('src/server', 'memory-store attempts begin-attempt judge record-answer record-status'),
    tests: ['test/server'],
    slow: [
      ...inFolder('test/server', 'invariants.test node-listener-bodies.test node-listener.test'),
      'test/server/invoice-service',
    ],
  },
];

/** @throws RangeError when no group is called so. */
export function groupOf(name: string | undefined): Group {
  const found = groups.find((group) => group.name === name);
  if (found === undefined) throw new RangeError(`no group of mutants is called ${String(name)}`);
  return found;
}

/** The test files of a group. */
export function testFilesOf({ tests, slow = [] }: Group): readonly string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) => tests.some((start) => name.startsWith(start)) && !slow.some((start) => name.startsWith(start)))
    .sort();
}
