import { readdirSync } from 'node:fs';

/** Modules that are mutated together, and the tests that have to notice. Paths are from the project's root. */
export interface Group {
  readonly name: string;
  readonly modules: readonly string[];
  /** Folders or files of tests, in the order in which they are run; those that take long and notice nothing more are left out. */
  readonly tests: readonly string[];
}

const inFolder = (folder: string, names: string): readonly string[] =>
  names.split(' ').map((name) => `${folder}/${name}.ts`);

export const groups: readonly Group[] = [
  {
    name: 'contract',
    modules: [
      ...inFolder('src/base', 'decimal'),
      ...inFolder('src/contract', 'duration timestamp wire-error status-code tolerant'),
    ],
    tests: ['test/base', 'test/contract'],
  },
  {
    name: 'core',
    modules: inFolder(
      'src/core',
      'reducer apply state-of vet deadline pace backoff poller asker heartbeat sleep-watch',
    ),
    tests: inFolder(
      'test/core',
      'apply.test asker.test pace.test heartbeat.test poller.test reducer.test session.test vet.test polling.test asking.test leaving.test amount.test time.test reducer-orders.test permutations.test',
    ),
  },
  {
    name: 'retry',
    modules: inFolder('src/server', 'retry retry-after retry-backoff retry-budget retry-decision'),
    tests: inFolder(
      'test/server',
      'retry-after.test retry-backoff.test retry-budget.test retry-decision.test invoice-service-client-retries.test invoice-service-client-qr.test invoice-service-client-time.test invoice-service-client-messages.test invoice-service-client-outage.test',
    ),
  },
  {
    name: 'store',
    modules: inFolder('src/server', 'memory-store attempts begin-attempt judge record-answer record-status'),
    tests: inFolder(
      'test/server',
      'begin-attempt.test record-answer.test record-status.test memory-store.test decisions.test ask-invoice.test ask-in-doubt.test outbox.test take-hook.test show-checkout.test',
    ),
  },
  {
    name: 'handler',
    modules: inFolder('src/server', 'handler route origin problem-answer read-ask read-json bounded-body'),
    tests: inFolder(
      'test/server',
      'route.test origin.test problem-answer.test bounded-body.test read-json.test read-ask.test handler.test read.test edge.test typed-amount.test take-hook.test ask-invoice.test show-checkout.test hostile.test',
    ),
  },
];

/** @throws RangeError when no group is called so. */
export function groupOf(name: string | undefined): Group {
  const found = groups.find((group) => group.name === name);
  if (found === undefined) throw new RangeError(`no group of mutants is called ${String(name)}`);
  return found;
}

/** The test files of a group. */
export function testFilesOf({ tests }: Group): readonly string[] {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.test.ts'))
    .sort();
  return tests.flatMap((start) => files.filter((name) => name.startsWith(start)));
}
