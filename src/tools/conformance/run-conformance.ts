import { BackendClient, NoResponse, type Exchange } from './backend-client.ts';
import { CheckContext, noSandboxReason, type Check, type CheckGroup, type RunContext } from './check.ts';
import { capabilityAccessChecks } from './checks/capability-access.ts';
import { closedCheckoutChecks } from './checks/closed-checkout.ts';
import { conditionalRequestChecks } from './checks/conditional-requests.ts';
import { createInvoiceChecks } from './checks/create-invoice.ts';
import { everyResponseChecks } from './checks/every-response.ts';
import { getCheckoutChecks } from './checks/get-checkout.ts';
import { invoiceOutcomeChecks } from './checks/invoice-outcomes.ts';
import { orderIntegrityChecks } from './checks/order-integrity.ts';
import { refusedRequestChecks } from './checks/refused-requests.ts';
import { serviceOutageChecks } from './checks/service-outages.ts';
import { typedAmountChecks } from './checks/typed-amount.ts';
import { unspecifiedResponseChecks } from './checks/unspecified-service-responses.ts';
import { webhookChecks } from './checks/webhook.ts';
import { checkOptions } from '../../server/domain/strict-object.ts';
import { optionNames, realPorts, type ConformanceOptions, type Ports } from './conformance-options.ts';
import { NotRun, Violation } from './expect.ts';
import { CheckoutProvider } from './obtain-test-checkout.ts';
import { CannotRun, type CheckResult, type Report } from './report.ts';
import { SandboxClient, SandboxError } from './sandbox-client.ts';

/** All checks in the order of the run. Checks that leave the run's first checkout open come first. */
const catalogue: readonly CheckGroup[] = [
  getCheckoutChecks,
  conditionalRequestChecks,
  capabilityAccessChecks,
  refusedRequestChecks,
  createInvoiceChecks,
  ...orderIntegrityChecks,
  typedAmountChecks,
  webhookChecks,
  ...invoiceOutcomeChecks,
  ...closedCheckoutChecks,
  ...serviceOutageChecks,
  ...unspecifiedResponseChecks,
  everyResponseChecks,
];

/** A check as `--list` shows it. */
export interface ListedCheck {
  readonly id: string;
  readonly group: string;
  readonly rule: string;
  readonly needs: readonly ('checkout' | 'fresh checkout' | 'typed checkout' | 'sandbox')[];
}

const needsByCheckoutKind = {
  none: [],
  first: ['checkout'],
  fresh: ['fresh checkout'],
  typed: ['typed checkout'],
} as const;

/** Every check, in the order of the run. */
export function listChecks(): readonly ListedCheck[] {
  return catalogue.flatMap(({ title, checkoutKind, sandbox, checks }) =>
    checks.map(({ id, rule }) => ({
      id,
      group: title,
      rule,
      needs: [...needsByCheckoutKind[checkoutKind], ...(sandbox === true ? (['sandbox'] as const) : [])],
    })),
  );
}

/**
 * Runs the checks against a backend.
 * @throws CannotRun when the backend, a checkout, the sandbox of the options or a check of `only` is missing, or when the run
 * is aborted
 * @example
 * ```ts
 * import { runConformance } from 'pay-invoice/conformance';
 *
 * async function findViolations(capability: string): Promise<readonly string[]> {
 *   const { results } = await runConformance({ endpoint: 'http://127.0.0.1:8080/checkout', checkouts: [capability] });
 *   return results.filter(({ verdict }) => verdict === 'violation').map(({ rule }) => rule);
 * }
 * ```
 */
export async function runConformance(options: ConformanceOptions): Promise<Report> {
  checkOptions(optionNames, options);
  const groups = selectGroups(options.only);
  const ports = withAbort({ ...realPorts, ...options.ports }, options.signal);
  const backend = new BackendClient(options.endpoint, ports);
  const checkoutProvider = new CheckoutProvider(options);
  const sandbox = options.sandbox === undefined ? undefined : new SandboxClient(options.sandbox, ports);
  const results: CheckResult[] = [];
  const run: RunContext = {
    backend,
    sandbox,
    usedCapabilities: checkoutProvider.usedCapabilities,
    openCheckout: () => checkoutProvider.takeCheckout('fresh'),
    closeCheckout: options.close ?? rejectClose,
    allowedOrigin: options.allowedOrigin,
    ports,
    patienceMs: options.patienceMs ?? 30_000,
    includeSlow: options.slow === true,
    secrets: { token: options.token === '' ? undefined : options.token, hooks: new Set<string>() },
  };
  const createContext = async ({ checkoutKind, sandbox: needsSandbox }: CheckGroup): Promise<CheckContext> => {
    if (needsSandbox === true && sandbox === undefined) throw new NotRun(noSandboxReason);
    return new CheckContext(run, await checkoutProvider.takeCheckout(checkoutKind));
  };
  const runGroup = async (group: CheckGroup): Promise<void> => {
    const context = await createContext(group).catch(returnNotRun);
    for (const check of group.checks) {
      if (options.signal?.aborted === true) throw new CannotRun(interruptedMessage);
      const startedAt = ports.now();
      const outcome = await runCheck(check, context);
      const { id, rule } = check;
      const result = { id, group: group.title, rule, ...outcome, took_ms: Math.round(ports.now() - startedAt) };
      results.push(result);
      options.onResult?.(result);
    }
  };

  await preflight(backend, checkoutProvider, sandbox);
  // Also removes the faults from the sandbox when a check throws.
  for (const group of groups) await runGroup(group).finally(() => sandbox?.restore());
  return buildReport(options.endpoint, results, backend.log.length);
}

function buildReport(endpoint: string, results: readonly CheckResult[], requests: number): Report {
  const count = (verdict: CheckResult['verdict']): number =>
    results.filter((result) => result.verdict === verdict).length;
  return {
    endpoint,
    passed: count('passed'),
    violations: count('violation'),
    not_run: count('not_run'),
    requests,
    results,
  };
}

function rejectClose(): Promise<never> {
  return Promise.reject(new NotRun('it needs a way to close a checkout: give --close-command'));
}

/** Returns a `NotRun`; throws any other error. */
function returnNotRun(error: unknown): NotRun {
  if (error instanceof NotRun) return error;
  throw error;
}

const interruptedMessage = 'it was interrupted';

/** Returns the ports with a `sleep` that rejects when the run is aborted. */
function withAbort(ports: Ports, signal: AbortSignal | undefined): Ports {
  if (signal === undefined) return ports;
  const abortRejection = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new CannotRun(interruptedMessage)), { once: true });
  });
  abortRejection.catch(() => undefined); // the abort may happen between two sleeps
  return { ...ports, sleep: (ms) => Promise.race([ports.sleep(ms), abortRejection]) };
}

/** Returns the groups with only the selected checks; all groups when `only` is empty. */
function selectGroups(only: readonly string[] | undefined): readonly CheckGroup[] {
  if (only === undefined || only.length === 0) return catalogue;
  const isSelected = ({ id }: Check): boolean => only.includes(id) || only.includes(id.split('.')[0] ?? '');
  const knownNames = catalogue.flatMap(({ checks }) => checks.flatMap(({ id }) => [id, id.split('.')[0]]));
  const unknownName = only.find((name) => !knownNames.includes(name));
  if (unknownName !== undefined) throw new CannotRun(`there is no check "${unknownName}": see --list`);
  return catalogue
    .map((group) => ({ ...group, checks: group.checks.filter(isSelected) }))
    .filter(({ checks }) => checks.length > 0);
}

/** Calls the sandbox and the backend before the first check, so that a wrong address stops the run. */
async function preflight(
  backend: BackendClient,
  checkoutProvider: CheckoutProvider,
  sandbox: SandboxClient | undefined,
): Promise<void> {
  try {
    await sandbox?.ping();
    await backend.read(await checkoutProvider.takeCheckout('first'));
  } catch (error) {
    if (error instanceof NotRun)
      throw new CannotRun('there is no checkout: give --checkout, --open-url or --open-command');
    if (error instanceof NoResponse || error instanceof SandboxError) throw new CannotRun(error.message);
    throw error;
  }
}

type CheckOutcome = Pick<CheckResult, 'verdict' | 'request' | 'expected' | 'got' | 'fix' | 'reason'>;

async function runCheck(check: Check, context: CheckContext | NotRun): Promise<CheckOutcome> {
  if (context instanceof NotRun) return { verdict: 'not_run', reason: context.message };
  const { log } = context.run.backend;
  const firstIndex = log.length;
  try {
    await check.run(context);
    return { verdict: 'passed' };
  } catch (error) {
    if (error instanceof NotRun) return { verdict: 'not_run', reason: error.message };
    if (error instanceof Violation) {
      const { expected, got, exchange = log.slice(firstIndex).at(-1) } = error;
      return { verdict: 'violation', ...(exchange && formatRequest(exchange)), expected, got, fix: check.fix };
    }
    if (error instanceof NoResponse)
      return {
        verdict: 'violation',
        ...formatRequest(error.exchange),
        expected: 'a response',
        got: error.message,
        fix: check.fix,
      };
    if (error instanceof SandboxError) throw new CannotRun(error.message, { cause: error });
    throw error;
  }
}

function formatRequest({ request, sent }: Pick<Exchange, 'request' | 'sent'>): Pick<CheckResult, 'request'> {
  return { request: [request, ...sent] };
}
