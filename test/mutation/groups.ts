import { existsSync, readdirSync } from 'node:fs';
import { compiledPath } from '../../scripts/test-node/compile-tests.ts';

/** Where bundle.ts writes the compiled tests of a group, and the program that runs all of them. */
export const compiledFolder = '.mutation';
export const groupProgram = `${compiledFolder}/group.mjs`;

/** Modules that Stryker changes together, and the tests that must detect the changes. Paths are from the project's root. */
export interface Group {
  readonly name: string;
  readonly modules: readonly string[];
  /** Folders or files of tests, in the order in which they run. It omits slow tests that detect no further changes. */
  readonly tests: readonly string[];
  /** Whether the tests run in one process. That is faster where most of them reach most modules. */
  readonly isOneProgram: boolean;
}

export const groups: readonly Group[] = [
  {
    name: 'service-api',
    isOneProgram: false,
    modules: [
      'src/base/decimal.ts',
      'src/service-api/scalars.ts',
      'src/service-api/grpc-error.ts',
      'src/service-api/invoice-service-operations.ts',
    ],
    tests: ['test/base', 'test/service-api', 'test/server/domain/fetch-decisions.test.ts'],
  },
  {
    name: 'core',
    isOneProgram: true,
    modules: [
      'src/core/reducer.ts',
      'src/core/session-commands.ts',
      'src/core/select-public-state.ts',
      'src/core/validate-checkout.ts',
      'src/core/suspect-requisites.ts',
      'src/core/session-effects.ts',
    ],
    tests: [
      'test/core/reducer-responses.test.ts',
      'test/core/session-effects-create.test.ts',
      'test/core/session-commands-plan-poll.test.ts',
      'test/core/deadline-and-sleep-timer.test.ts',
      'test/core/session-effects-polling.test.ts',
      'test/core/reducer.test.ts',
      'test/core/session-commands.test.ts',
      'test/core/session.test.ts',
      'test/core/validate-checkout.test.ts',
      'test/core/suspect-requisites.test.ts',
      'test/core/session-polling.test.ts',
      'test/core/session-start-stop.test.ts',
      'test/core/session-create-invoice.test.ts',
      'test/core/session-dismiss-invoice.test.ts',
      'test/core/payer-typed-amount.test.ts',
      'test/core/session-deadline-and-sleep.test.ts',
      'test/core/create-request-in-doubt.test.ts',
      'test/core/amount-check.test.ts',
      'test/core/closed-checkout.test.ts',
    ],
  },
  {
    name: 'retry',
    isOneProgram: false,
    modules: [
      'src/server/invoice-client/call-operation.ts',
      'src/server/invoice-client/send-http-request.ts',
      'src/server/invoice-client/parse-service-responses.ts',
      'src/server/invoice-client/failure-and-rate-limit.ts',
    ],
    tests: [
      'test/server/invoice-client/parse-service-responses.test.ts',
      'test/server/invoice-client/send-http-request.test.ts',
      'test/server/invoice-client/judge-failure.test.ts',
      'test/server/invoice-client/rate-limit.test.ts',
      'test/server/invoice-client/client-failures.test.ts',
      'test/server/invoice-client/client-qr.test.ts',
      'test/server/invoice-client/client-time.test.ts',
      'test/server/invoice-client/invoice-service-client.test.ts',
      'test/server/invoice-client/client-options.test.ts',
      'test/server/invoice-client/client-secrets.test.ts',
    ],
  },
  {
    name: 'store',
    isOneProgram: true,
    modules: [
      'src/server/memory-store/memory-store.ts',
      'src/server/memory-store/memory-outbox.ts',
      'src/server/domain/checkout-status.ts',
      'src/server/domain/create-decisions.ts',
      'src/server/domain/create-results.ts',
      'src/server/domain/create-repeats.ts',
      'src/server/domain/fetch-decisions.ts',
    ],
    tests: [
      'test/server/domain/decide-create-request.test.ts',
      'test/server/domain/apply-create-result.test.ts',
      'test/server/domain/fetch-decisions.test.ts',
      'test/stores/memory-store.test.ts',
      'test/server/http/create-invoice.test.ts',
      'test/server/http/create-invoice-limits.test.ts',
      'test/server/http/create-in-doubt.test.ts',
      'test/server/http/refused-qr.test.ts',
      'test/server/workers/outcome-dispatcher.test.ts',
      'test/server/http/receive-webhook.test.ts',
      'test/server/http/get-checkout.test.ts',
      'test/server/commands',
      'test/server/workers/amount-mismatch.test.ts',
      'test/server/workers/create-unresolved.test.ts',
      'test/server/workers/fetch-invoice-batch.test.ts',
      'test/server/workers/one-invoice-one-order.test.ts',
      'test/server/workers/writes-under-leases.test.ts',
      'test/server/resolve-checkout.test.ts',
      'test/server/close-checkout.test.ts',
    ],
  },
  {
    name: 'handler',
    isOneProgram: true,
    modules: [
      'src/server/http/router.ts',
      'src/server/http/responses.ts',
      'src/server/commands/create-invoice.ts',
      'src/server/commands/check-payment.ts',
      'src/server/http/handlers.ts',
      'src/server/http/view-checkout.ts',
      'src/base/read-limited-body.ts',
    ],
    tests: [
      'test/base/read-limited-body.test.ts',
      'test/server/http/request-bodies.test.ts',
      'test/server/http/create-invoice-request.test.ts',
      'test/server/http/router.test.ts',
      'test/server/telemetry/metrics.test.ts',
      'test/server/http/typed-amount.test.ts',
      'test/server/http/receive-webhook.test.ts',
      'test/server/http/create-invoice.test.ts',
      'test/server/http/create-invoice-limits.test.ts',
      'test/server/http/create-in-doubt.test.ts',
      'test/server/http/long-polls.test.ts',
      'test/server/http/get-checkout.test.ts',
      'test/server/http/conditional-reads.test.ts',
      'test/server/http/check-payment.test.ts',
      'test/server/http/unpayable-invoice.test.ts',
      'test/server/http/store-outage.test.ts',
      'test/server/close-checkout.test.ts',
      'test/server/http/hostile-requests.test.ts',
    ],
  },
];

/** @throws RangeError when no group has this name, or one of its files does not exist */
export function groupOf(name: string | undefined): Group {
  const group = groups.find((one) => one.name === name);
  if (group === undefined) throw new RangeError(`no group of mutants is called ${String(name)}`);
  const missing = [...group.modules, ...group.tests].filter((path) => !existsSync(path));
  if (missing.length > 0)
    throw new RangeError(`the group ${group.name} names ${missing.join(', ')}, which do not exist`);
  return group;
}

/** What runs for a mutant of a group. */
export const programsOf = (group: Group): readonly string[] =>
  group.isOneProgram ? [groupProgram] : testFilesOf(group).map((name) => compiledPath(compiledFolder, name));

/** The test files of a group. */
export function testFilesOf({ tests }: Group): readonly string[] {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.test.ts'))
    .sort();
  return tests.flatMap((prefix) => files.filter((name) => name.startsWith(prefix)));
}
