import { parseArgs } from 'node:util';
import { toError } from '../../base/thrown-value.ts';
import { findSetVariables, findWrongVariables } from '../../base/given-variables.ts';
import { createCheckoutCloser, createOrderOpener } from './obtain-test-checkout.ts';
import type { ConformanceOptions } from './conformance-options.ts';
import {
  CannotRun,
  formatGroupTitle,
  createColorizer,
  formatResult,
  formatTotal,
  formatViolations,
  type CheckResult,
} from './report.ts';
import { listChecks, runConformance } from './run-conformance.ts';

/** The output, environment and signal of the command. */
export interface CommandEnvironment {
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  readonly isTerminal: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborts the run. */
  readonly signal?: AbortSignal;
}

const usage = `Usage: pay-invoice-conformance <endpoint> [options]

Tests whether a backend serves the checkout API as the widget needs it.
<endpoint> is where it is mounted, such as http://localhost:8000/checkout

Fresh checkouts (no invoice yet), at least one:
  --checkout chk_…            one that you opened; may be given several times
  --open-url URL              a POST there opens one and answers JSON with "checkout"
  --open-body JSON            the body of that POST
  --open-command COMMAND      a command that opens one and prints its capability

Checkouts whose amount the payer types:
  --typed-checkout chk_…      may be given several times
  --open-typed-body JSON      the body of the POST to --open-url
  --open-typed-command COMMAND

More:
  --allowed-origin URL        an origin that the backend allows to use it, such as https://shop.example
  --close-command COMMAND     a command that closes the checkout in the variable CHECKOUT
  --sandbox URL               the sandbox that the backend uses as its invoice service, such as
                              http://127.0.0.1:8081: invoices are paid, failed and expired there
  --only ID,…                 some checks, or all before a dot, such as etag,invoice.created
  --slow                      also the checks that take half a minute or longer
  --patience SECONDS          how long a change may take to reach the payer (30)
  --json                      the report as JSON
  --list                      all checks
  --help

INVOICE_ACCESS_TOKEN in the environment: no response may contain it; it is sent nowhere.
Exit code: 0 no violations, 1 violations, 2 could not run.
`;

const flags = {
  checkout: { type: 'string', multiple: true },
  'typed-checkout': { type: 'string', multiple: true },
  'open-url': { type: 'string' },
  'open-body': { type: 'string' },
  'open-typed-body': { type: 'string' },
  'open-command': { type: 'string' },
  'open-typed-command': { type: 'string' },
  'allowed-origin': { type: 'string' },
  'close-command': { type: 'string' },
  sandbox: { type: 'string' },
  only: { type: 'string' },
  slow: { type: 'boolean' },
  patience: { type: 'string' },
  json: { type: 'boolean' },
  list: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const parseFlags = (args: readonly string[]) => parseArgs({ args: [...args], options: flags, allowPositionals: true });
type FlagValues = ReturnType<typeof parseFlags>['values'];

/** Runs the command and resolves with its exit code. */
export async function runCommandLine(args: readonly string[], commandEnvironment: CommandEnvironment): Promise<number> {
  try {
    const { values, positionals } = parseFlags(args);
    if (values.help === true) return printAndSucceed(commandEnvironment, usage);
    if (values.list === true) return printAndSucceed(commandEnvironment, formatCheckList());
    return await runChecks(values, positionals, commandEnvironment);
  } catch (thrown) {
    const error = toError(thrown);
    const isExpected = error instanceof CannotRun || String(error.code).startsWith('ERR_PARSE_ARGS');
    const message = isExpected ? error.message : (error.stack ?? error.message);
    commandEnvironment.writeError(`Could not run: ${message}\n`);
    return 2;
  }
}

function printAndSucceed({ write }: CommandEnvironment, text: string): number {
  write(text);
  return 0;
}

function formatCheckList(): string {
  return listChecks()
    .map(({ id, rule, needs }) => `${id.padEnd(28)} ${rule} [${needs.join(', ')}]\n`)
    .join('');
}

async function runChecks(
  values: FlagValues,
  positionals: readonly string[],
  commandEnvironment: CommandEnvironment,
): Promise<number> {
  const { write, isTerminal, environment } = commandEnvironment;
  const paint = createColorizer(isTerminal && environment['NO_COLOR'] === undefined);
  const [wrongToken] = findWrongVariables(['INVOICE_ACCESS_TOKEN'], environment).values();
  if (wrongToken !== undefined) throw new CannotRun(wrongToken);
  const options = parseOptions(values, positionals, findSetVariables(environment));
  const isJson = values.json === true;
  let lastGroup = '';
  const onResult = (result: CheckResult): void => {
    if (isJson) return;
    if (result.group !== lastGroup) write(`${formatGroupTitle(result.group, paint)}\n`);
    lastGroup = result.group;
    write(`${formatResult(result, paint)}\n`);
  };
  const report = await runConformance({ ...options, onResult, signal: commandEnvironment.signal });
  write(
    isJson
      ? `${JSON.stringify(report, null, 2)}\n`
      : `${formatViolations(report, paint)}${formatTotal(report, paint)}\n`,
  );
  return report.violations > 0 ? 1 : 0;
}

function requireHttpUrl(name: string, text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new CannotRun(`${name} must be a whole http(s) address such as http://127.0.0.1:8080`);
  return text;
}

function parseOptions(
  values: FlagValues,
  [endpoint, ...extraPositionals]: readonly string[],
  environment: CommandEnvironment['environment'],
): ConformanceOptions {
  if (endpoint === undefined || extraPositionals.length > 0) throw new CannotRun(`name one endpoint\n\n${usage}`);
  const patience = Number(values.patience ?? '30');
  if (!(patience > 0 && patience <= 600)) throw new CannotRun('--patience must be a number of seconds up to 600');
  const { 'open-url': openUrl, 'allowed-origin': allowedOrigin, 'close-command': closeCommand } = values;
  return {
    endpoint: requireHttpUrl('the endpoint', endpoint),
    checkouts: values.checkout ?? [],
    typedCheckouts: values['typed-checkout'] ?? [],
    open: createOrderOpener({
      url: openUrl === undefined ? undefined : requireHttpUrl('--open-url', openUrl),
      bodies: { priced: values['open-body'], typed: values['open-typed-body'] },
      commands: { priced: values['open-command'], typed: values['open-typed-command'] },
    }),
    allowedOrigin:
      allowedOrigin === undefined ? undefined : new URL(requireHttpUrl('--allowed-origin', allowedOrigin)).origin,
    close: closeCommand === undefined ? undefined : createCheckoutCloser(closeCommand),
    sandbox: values.sandbox === undefined ? undefined : requireHttpUrl('--sandbox', values.sandbox),
    token: environment['INVOICE_ACCESS_TOKEN'],
    only: values.only?.split(',').map((id) => id.trim()),
    slow: values.slow === true,
    patienceMs: patience * 1000,
  };
}
