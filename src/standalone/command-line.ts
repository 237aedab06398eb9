import process from 'node:process';
import { JournalError } from '../sandbox.ts';
import { formatResults, runDoctor } from './doctor/run-doctor.ts';
import { ddlOf, MissingDriverError } from './open-store.ts';
import { readServerEnvironment, readTableNames, type ServerEnvironment } from './environment/server-environment.ts';
import { startServer, type RunningServer } from './start-server.ts';
import { EnvironmentError, type Variables } from './environment/read-variables.ts';
import { WidgetMissingError } from './widget-files.ts';

/** The arguments, the environment and the files of the program. */
export interface Program {
  readonly args: readonly string[];
  readonly environment: Variables;
  /** The package's `dist/cdn`. */
  readonly widgetFolder: string;
  readonly version: string;
}

const usage = `Usage: pay-invoice-server [command]

The checkout server for shops in any language: checkout API, widget, admin API, signed outcomes.

  (none)             starts the server
  doctor             checks the configuration, the service, the database and the receiver; exit code 1 when a check fails
  ddl                prints the statements that make the tables in SQLite
  ddl --postgres     the same for PostgreSQL; both use DATABASE_SCHEMA and DATABASE_TABLE_PREFIX
  --help
  --version

Configuration is by environment variables: docs/standalone-server.md. It is a trial with a sandbox by TRIAL=1, or while
no service is configured and NODE_ENV is not production.
`;

/** How long closing may take, in milliseconds. Then the process exits, before a process manager kills it. */
const maxCloseMs = 14_000;

/** Runs the command in the arguments. */
export async function runServerProgram(program: Program): Promise<void> {
  const [command, ...otherArgs] = program.args;
  if (command === '--help' || command === '-h') process.stdout.write(usage);
  else if (command === '--version') process.stdout.write(`${program.version}\n`);
  else if (command === 'ddl' && otherArgs.length === 0) await printDdl('sqlite', program);
  else if (command === 'ddl' && otherArgs.join(' ') === '--postgres') await printDdl('postgres', program);
  else if (command === 'doctor' && otherArgs.length === 0) await runDoctorCommand(program);
  else if (command === undefined) await runServer(program);
  else fail([`unknown argument: ${[command, ...otherArgs].join(' ')}`, usage], 2);
}

async function printDdl(database: 'sqlite' | 'postgres', { environment }: Program): Promise<void> {
  try {
    process.stdout.write(await ddlOf(database, readTableNames(environment)));
  } catch (error) {
    fail(describeError(error), 1);
  }
}

async function runDoctorCommand({ environment, widgetFolder }: Program): Promise<void> {
  const results = await runDoctor({ variables: environment, widgetFolder });
  process.stdout.write(formatResults(results));
  process.exitCode = results.some(({ level }) => level === 'fail') ? 1 : 0;
}

async function runServer({ environment, widgetFolder }: Program): Promise<void> {
  try {
    const configuration = readServerEnvironment(environment);
    const server = await startServer(configuration, widgetFolder);
    process.stdout.write(`${startupLines(configuration, server).join('\n')}\n`);
    stopOnSignal(server);
  } catch (error) {
    fail(describeError(error), 1);
  }
}

function startupLines({ mode, serviceUrl, receiver }: ServerEnvironment, server: RunningServer): readonly string[] {
  const { url, sandbox, metrics, admin, generatedToken } = server;
  return [
    `Checkout server  ${url}`,
    sandbox === null
      ? `Service          ${serviceUrl ?? ''} (${mode})`
      : `Sandbox          ${sandbox} (a trial: no money moves)`,
    ...(metrics === null ? [] : [`Metrics          ${metrics}/metrics`]),
    ...(admin === null ? [] : [`Admin API        ${admin}/admin`]),
    ...(generatedToken === null
      ? []
      : [`Admin token      ${generatedToken} (until it ends; set ADMIN_TOKEN to choose one)`]),
    receiver === undefined
      ? 'Outcomes         are not sent: OUTCOME_URL is not set'
      : `Outcomes         ${new URL(receiver.url).origin}`,
  ];
}

function stopOnSignal(server: RunningServer): void {
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    setTimeout(
      () => fail(['It did not close in time: what was under way is continued after the next start.'], 1),
      maxCloseMs,
    ).unref();
    server.close().then(
      () => process.exit(0),
      (error: unknown) => fail(describeError(error), 1),
    );
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
}

function fail(lines: readonly string[], code: number): never {
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exit(code);
}

/** Errors that the operator can correct. */
const correctableErrors = [MissingDriverError, JournalError, WidgetMissingError];

/** One line for each problem that the operator can correct; the stack of any other error. */
function describeError(error: unknown): readonly string[] {
  if (error instanceof EnvironmentError) return error.problems.map((problem) => `Cannot start: ${problem}`);
  if (!(error instanceof Error)) return [String(error)];
  if (correctableErrors.some((kind) => error instanceof kind) || error.name === 'DatabaseOpenError')
    return [`Cannot start: ${error.message}`];
  if ('code' in error && 'port' in error && 'syscall' in error && error.syscall === 'listen')
    return [
      `Cannot start: port ${String(error.port)} cannot be used (${String(error.code)}): is another program on it?`,
    ];
  return [error.stack ?? error.message];
}
