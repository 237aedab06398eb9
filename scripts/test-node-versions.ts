// Runs a part of the node tests, with one purchase, on each older version of Node that package.json allows:
// `tsx scripts/test-node-versions.ts [version …]`. The binaries come from npm.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findNode } from './find-node.ts';

/**
 * The oldest supported release, and the newest versions of the release lines that Node's maintainers support. The newest line is the
 * one that runs the tests of `npm test` (the dev dependency `node`).
 */
const versions = ['22.18.0', '22', '24'];

/** Tests of code that depends on Node: HTTP, sockets, timers, streams, cryptography, the store's driver, one purchase. */
const tests = [
  'test/standalone/metrics-port.test.ts',
  'test/standalone/shutdown.test.ts',
  'test/server/node',
  'test/server/invoice-client/client-sockets.test.ts',
  'test/server/invoice-client/invoice-service-client.test.ts',
  'test/server/http/create-invoice.test.ts',
  'test/server/workers/outcome-dispatcher.test.ts',
  'test/stores/sql-store.test.ts',
  'test/stores/sqlite-store.test.ts',
  'test/stores/sqlite-waits.test.ts',
  'test/stores/sqlite-readiness.test.ts',
  'test/stores/damaged-file.test.ts',
  'test/stores/killed-processes.test.ts',
  'test/service-api/timestamp.test.ts',
  'test/sandbox/service/handle-service-request.test.ts',
  'test/sandbox/invoices/webhooks.test.ts',
  'test/mounts/mounts.test.ts',
  'test/standalone/doctor.test.ts',
  'test/standalone/start-server.test.ts',
];

const minute = 60_000;

/** Runs the tests with a binary. Returns whether they passed. */
function runTests(binary: string): boolean {
  const args = ['scripts/test-node.ts', '--quick', ...tests];
  const env = { ...process.env, TEST_DATABASES: 'embedded', TEST_MOUNTS: 'node:http' };
  const { status } = spawnSync(binary, ['--import', 'tsx', ...args], { env, stdio: 'inherit', timeout: 10 * minute });
  return status === 0;
}

for (const testPath of tests) if (!existsSync(testPath)) throw new Error(`there is no ${testPath}`);
const selectedVersions = process.argv.length > 2 ? process.argv.slice(2) : versions;
const results = selectedVersions.map((version) => {
  const binary = findNode(version);
  const installedVersion = spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout.trim();
  console.log(`\nNode ${installedVersion}`);
  return { installedVersion, isPassed: runTests(binary) };
});
for (const { installedVersion, isPassed } of results)
  console.log(`${isPassed ? 'passed ' : 'FAILED '} Node ${installedVersion}`);
process.exitCode = results.every(({ isPassed }) => isPassed) ? 0 : 1;
