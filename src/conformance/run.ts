import { BackendClient, NoAnswer, type Exchange } from './backend-client.ts';
import type { CheckContext, Check, Group } from './check.ts';
import { CheckoutProvider } from './checkout-provider.ts';
import { allResponses } from './checks/all-responses.ts';
import { capability } from './checks/capability.ts';
import { conditionalRequests } from './checks/conditional-requests.ts';
import { wrongAmounts, serviceOutage, lostAnswer } from './checks/service-outages.ts';
import { closed, closedWithInvoice } from './checks/closed.ts';
import { webhook } from './checks/webhook.ts';
import { createdInvoice } from './checks/created-invoice.ts';
import { order, otherKeysAtOnce, sameKeyAtOnce, twoOrders } from './checks/orders.ts';
import { expiring, failing, paidLate, paying, replacing, unknownStatus } from './checks/outcomes.ts';
import { getCheckout } from './checks/get-checkout.ts';
import { refusals } from './checks/refusals.ts';
import { typedAmount } from './checks/typed-amount.ts';
import { unspecified } from './checks/unspecified-answers.ts';
import { defaultTimeouts, realPorts, type ConformanceOptions, type Ports } from './options.ts';
import { CannotRun, type CheckResult, type Report } from './report.ts';
import { SandboxClient, SandboxError } from './sandbox-client.ts';
import { NotRun, Violation } from './violation.ts';

/** All checks in the order of the run. Those that leave the first checkout open come first. */
const catalogue: readonly Group[] = [
  getCheckout,
  conditionalRequests,
  capability,
  refusals,
  createdInvoice,
  order,
  sameKeyAtOnce,
  otherKeysAtOnce,
  twoOrders,
  typedAmount,
  webhook,
  paying,
  failing,
  expiring,
  paidLate,
  replacing,
  closed,
  closedWithInvoice,
  unknownStatus,
  serviceOutage,
  lostAnswer,
  wrongAmounts,
  ...unspecified,
  allResponses,
];

/** A check as `--list` shows it. */
export interface ListedCheck {
  readonly id: string;
  readonly group: string;
  readonly clause: string;
  readonly rule: string;
  readonly needs: readonly ('checkout' | 'fresh checkout' | 'typed checkout' | 'sandbox')[];
}

const needs = {
  none: [],
  first: ['checkout'],
  fresh: ['fresh checkout'],
  typed: ['typed checkout'],
} as const;

/** Every check, in the order of the run. */
export function listChecks(): readonly ListedCheck[] {
  return catalogue.flatMap(({ title, checkout, sandbox, checks }) =>
    checks.map(({ id, clause, rule }) => ({
      id,
      group: title,
      clause,
      rule,
      needs: [...needs[checkout], ...(sandbox === true ? (['sandbox'] as const) : [])],
    })),
  );
}

/**
 * Runs the checks against a backend.
 * @throws CannotRun when there is no backend, no checkout, no sandbox where one was named, or no check of `only`, and when the
 * run is aborted
 */
export async function runConformance(options: ConformanceOptions): Promise<Report> {
  const groups = selectGroups(options.only);
  const ports = withAbort({ ...realPorts, ...options.ports }, options.signal);
  const backend = new BackendClient(options.endpoint, ports);
  const source = new CheckoutProvider(options);
  const sandbox = options.sandbox === undefined ? undefined : new SandboxClient(options.sandbox, ports);
  const results: CheckResult[] = [];
  const secrets = { token: options.token === '' ? undefined : options.token, hooks: new Set<string>() };

  const contextFor = async (group: Group): Promise<CheckContext> => {
    const { checkout, sandbox: needsSandbox } = group;
    if (needsSandbox === true) requireSandbox(sandbox);
    return {
      backend,
      checkout: await source.take(checkout),
      capabilities: source.used,
      openAnother: () => source.take('fresh'),
      close: options.close ?? cannotClose,
      allowedOrigin: options.allowedOrigin,
      sandbox: () => requireSandbox(sandbox),
      ports,
      timeouts: { ...defaultTimeouts, ...options.timeouts },
      includeSlow: options.slow === true,
      secrets,
    };
  };
  const runGroup = async (group: Group): Promise<void> => {
    const context = await contextFor(group).catch(asNotRun);
    for (const check of group.checks) {
      if (options.signal?.aborted === true) throw new CannotRun(interrupted);
      const startedAt = ports.now();
      const outcome = await outcomeOf(check, context);
      const { id, clause, rule } = check;
      const result = { id, group: group.title, clause, rule, ...outcome, took_ms: Math.round(ports.now() - startedAt) };
      results.push(result);
      options.onResult?.(result);
    }
  };

  await preflight(backend, source, sandbox);
  // Removes the faults from the sandbox also when a check throws.
  for (const group of groups) await runGroup(group).finally(() => sandbox?.restore());
  return reportOf(options.endpoint, results, backend.log.length);
}

function reportOf(endpoint: string, results: readonly CheckResult[], requests: number): Report {
  const count = (verdict: CheckResult['verdict']): number => results.filter((one) => one.verdict === verdict).length;
  return {
    endpoint,
    passed: count('passed'),
    violations: count('violation'),
    not_run: count('not_run'),
    requests,
    results,
  };
}

function cannotClose(): Promise<never> {
  return Promise.reject(new NotRun('it needs a way to close a checkout: give --close-command'));
}

function requireSandbox(sandbox: SandboxClient | undefined): SandboxClient {
  if (sandbox === undefined) throw new NotRun('it needs the sandbox: give --sandbox');
  return sandbox;
}

/** Returns a `NotRun`; throws any other error. */
function asNotRun(error: unknown): NotRun {
  if (error instanceof NotRun) return error;
  throw error;
}

const interrupted = 'it was interrupted';

/** The same ports; `sleep` rejects when the run is aborted. */
function withAbort(ports: Ports, signal: AbortSignal | undefined): Ports {
  if (signal === undefined) return ports;
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new CannotRun(interrupted)), { once: true });
  });
  aborted.catch(() => undefined); // the abort may happen between two sleeps
  return { ...ports, sleep: (ms) => Promise.race([ports.sleep(ms), aborted]) };
}

/** The groups with the selected checks. */
function selectGroups(only: readonly string[] | undefined): readonly Group[] {
  if (only === undefined || only.length === 0) return catalogue;
  const isChosen = ({ id }: Check): boolean => only.includes(id) || only.includes(id.split('.')[0] ?? '');
  const known = catalogue.flatMap(({ checks }) => checks.flatMap(({ id }) => [id, id.split('.')[0]]));
  const unknown = only.find((one) => !known.includes(one));
  if (unknown !== undefined) throw new CannotRun(`there is no check "${unknown}": see --list`);
  return catalogue
    .map((group) => ({ ...group, checks: group.checks.filter(isChosen) }))
    .filter(({ checks }) => checks.length > 0);
}

/** Tries the sandbox and the backend before the first check, so that a wrong address stops the run. */
async function preflight(
  backend: BackendClient,
  source: CheckoutProvider,
  sandbox: SandboxClient | undefined,
): Promise<void> {
  try {
    await sandbox?.ping();
    await backend.read(await source.take('first'));
  } catch (error) {
    if (error instanceof NotRun)
      throw new CannotRun('there is no checkout: give --checkout, --open-url or --open-command');
    if (error instanceof NoAnswer || error instanceof SandboxError) throw new CannotRun(error.message);
    throw error;
  }
}

type Outcome = Pick<CheckResult, 'verdict' | 'request' | 'expected' | 'got' | 'fix' | 'reason'>;

async function outcomeOf(check: Check, context: CheckContext | NotRun): Promise<Outcome> {
  if (context instanceof NotRun) return { verdict: 'not_run', reason: context.message };
  const { log } = context.backend;
  const earlier = log.length;
  try {
    await check.run(context);
    return { verdict: 'passed' };
  } catch (error) {
    if (error instanceof NotRun) return { verdict: 'not_run', reason: error.message };
    if (error instanceof Violation) {
      const { expected, got, exchange = log.slice(earlier).at(-1) } = error;
      return { verdict: 'violation', ...(exchange && requestOf(exchange)), expected, got, fix: check.fix };
    }
    if (error instanceof NoAnswer)
      return {
        verdict: 'violation',
        ...requestOf(error.exchange),
        expected: 'an answer',
        got: error.message,
        fix: check.fix,
      };
    if (error instanceof SandboxError) throw new CannotRun(error.message, { cause: error });
    throw error;
  }
}

function requestOf({ request, sent }: Pick<Exchange, 'request' | 'sent'>): Pick<CheckResult, 'request'> {
  return { request: [request, ...sent] };
}
