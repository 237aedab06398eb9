import { Backend } from './backend.ts';
import { catalogue } from './catalogue.ts';
import { Finding, NotRun, type Check, type Group } from './check.ts';
import { CheckoutSource } from './checkout-source.ts';
import { NoAnswer } from './exchange.ts';
import type { ConformanceOptions } from './options.ts';
import { realPorts, type Ports } from './ports.ts';
import { CannotRun, type CheckResult, type Report } from './report.ts';
import { Sandbox, SandboxFailed } from './sandbox.ts';
import type { Stage } from './check-context.ts';
import { defaultTempo } from './timeouts.ts';

/** A check as a person may choose it. */
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
 * @throws CannotRun when there is no backend, no checkout or no sandbox where one was named.
 */
export async function runConformance(options: ConformanceOptions): Promise<Report> {
  const groups = chosen(options.only);
  const ports = interruptible({ ...realPorts, ...options.ports }, options.signal);
  const backend = new Backend(options.endpoint, ports);
  const source = new CheckoutSource(options);
  const sandbox = options.sandbox === undefined ? undefined : new Sandbox(options.sandbox, ports);
  const results: CheckResult[] = [];
  const secrets = { token: options.token === '' ? undefined : options.token, hooks: new Set<string>() };

  const stageFor = async (group: Group): Promise<Stage> => {
    const { checkout, sandbox: needsSandbox } = group;
    if (needsSandbox === true) requireSandbox(sandbox);
    return {
      backend,
      checkout: await source.take(checkout),
      capabilities: source.used,
      another: () => source.take('fresh'),
      sandbox: () => requireSandbox(sandbox),
      ports,
      tempo: { ...defaultTempo, ...options.tempo },
      slow: options.slow === true,
      secrets,
    };
  };
  const runGroup = async (group: Group): Promise<void> => {
    const stage = await stageFor(group).catch(notRun);
    for (const check of group.checks) {
      if (options.signal?.aborted === true) throw new CannotRun(interrupted);
      const startedAt = ports.now();
      const outcome = await outcomeOf(check, stage);
      const { id, clause, rule } = check;
      const result = { id, group: group.title, clause, rule, ...outcome, took_ms: Math.round(ports.now() - startedAt) };
      results.push(result);
      options.onResult?.(result);
    }
  };

  await greet(backend, source, sandbox);
  // Whatever happens, no fault stays behind in the sandbox.
  for (const group of groups) await runGroup(group).finally(() => sandbox?.tidy());
  return reportOf(options.endpoint, results, backend.log.length);
}

function reportOf(endpoint: string, results: readonly CheckResult[], requests: number): Report {
  const count = (verdict: CheckResult['verdict']): number => results.filter((one) => one.verdict === verdict).length;
  return {
    endpoint,
    passed: count('passed'),
    findings: count('finding'),
    not_run: count('not_run'),
    requests,
    results,
  };
}

function requireSandbox(sandbox: Sandbox | undefined): Sandbox {
  if (sandbox === undefined) throw new NotRun('it needs the sandbox: give --sandbox');
  return sandbox;
}

/** What keeps a group from running; anything else goes on. */
function notRun(error: unknown): NotRun {
  if (error instanceof NotRun) return error;
  throw error;
}

const interrupted = 'it was interrupted';

/** The same ports, whose sleep ends when the run is given up. */
function interruptible(ports: Ports, signal: AbortSignal | undefined): Ports {
  if (signal === undefined) return ports;
  const given = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new CannotRun(interrupted)), { once: true });
  });
  given.catch(() => undefined); // it may come between two sleeps
  return { ...ports, sleep: (ms) => Promise.race([ports.sleep(ms), given]) };
}

/** The groups with the checks that were asked for. */
function chosen(only: readonly string[] | undefined): readonly Group[] {
  if (only === undefined || only.length === 0) return catalogue;
  const isChosen = ({ id }: Check): boolean => only.includes(id) || only.includes(id.split('.')[0] ?? '');
  const known = catalogue.flatMap(({ checks }) => checks.flatMap(({ id }) => [id, id.split('.')[0]]));
  const unknown = only.find((one) => !known.includes(one));
  if (unknown !== undefined) throw new CannotRun(`there is no check "${unknown}": see --list`);
  return catalogue
    .map((group) => ({ ...group, checks: group.checks.filter(isChosen) }))
    .filter(({ checks }) => checks.length > 0);
}

/** One look at everything that the run needs, before anything is judged. */
async function greet(backend: Backend, source: CheckoutSource, sandbox: Sandbox | undefined): Promise<void> {
  try {
    await sandbox?.greet();
    await backend.read(await source.take('first'));
  } catch (error) {
    if (error instanceof NotRun)
      throw new CannotRun('there is no checkout: give --checkout, --open-url or --open-command');
    if (error instanceof NoAnswer || error instanceof SandboxFailed) throw new CannotRun(error.message);
    throw error;
  }
}

type Ending = Pick<CheckResult, 'verdict' | 'expected' | 'got' | 'mend' | 'reason'>;

async function outcomeOf(check: Check, stage: Stage | NotRun): Promise<Ending> {
  if (stage instanceof NotRun) return { verdict: 'not_run', reason: stage.message };
  try {
    await check.run(stage);
    return { verdict: 'passed' };
  } catch (error) {
    if (error instanceof NotRun) return { verdict: 'not_run', reason: error.message };
    if (error instanceof Finding)
      return { verdict: 'finding', expected: error.expected, got: error.got, mend: check.mend };
    if (error instanceof NoAnswer)
      return { verdict: 'finding', expected: 'an answer', got: error.message, mend: check.mend };
    if (error instanceof SandboxFailed) throw new CannotRun(error.message, { cause: error });
    throw error;
  }
}
