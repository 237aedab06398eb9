import process from 'node:process';
import { formatResults, runDoctor } from './doctor/run-doctor.ts';
import { printDdl } from '../stores/migrations/checkout-tables.ts';
import { describeStore, openStore } from './open-store.ts';
import {
  readDatabaseEnvironment,
  readServerEnvironment,
  type ServerEnvironment,
} from './environment/server-environment.ts';
import { startServer, type RunningServer } from './start-server.ts';
import { isOperatorCommand, operatorUsage, sendAdminRequest, toAdminRequest } from './operator-commands.ts';
import type { Variables } from '../base/given-variables.ts';
import { describeError, fail, ignoreLostReaders, print, runProgram } from './run-program.ts';

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
  migrate            creates the tables, or changes those of an older release, and ends
  ddl                prints the statements that make the tables in SQLite
  ddl --postgres     the same for PostgreSQL; both use DATABASE_SCHEMA and DATABASE_TABLE_PREFIX
  --help
  --version

For the operator, by the admin API of the running server (HOST, PORT, ADMIN_PORT, ADMIN_TOKEN); they print JSON:

${operatorUsage}

Configuration is by environment variables: docs/standalone-server.md. It is a trial with a sandbox by TRIAL=1, or while
no service is configured and NODE_ENV is not production.
`;

/** Runs the command in the arguments. */
export async function runServerProgram(program: Program): Promise<void> {
  ignoreLostReaders();
  try {
    await runCommand(program);
  } catch (error) {
    fail(describeError(error), 1);
  }
}

async function runCommand(program: Program): Promise<void> {
  const { args, environment, version } = program;
  const [command, ...otherArgs] = args;
  const adminRequest = toAdminRequest(command, otherArgs);
  if (command === '--help' || command === '-h') print(usage);
  else if (command === '--version') print(`${version}\n`);
  else if (command === 'ddl' && /^(?:--postgres)?$/.test(otherArgs.join(' ')))
    print(printDdl(otherArgs.length === 0 ? 'sqlite' : 'postgres', readDatabaseEnvironment(environment).tables));
  else if (command === 'migrate' && otherArgs.length === 0) {
    const database = readDatabaseEnvironment(environment);
    await (await openStore({ ...database, migrate: true })).close();
    print(`The tables are those of this release: ${describeStore(database)}\n`);
  } else if (command === 'doctor' && otherArgs.length === 0) await runDoctorCommand(program);
  else if (command === undefined) await runServer(program);
  else if (adminRequest !== undefined)
    print(`${JSON.stringify(await sendAdminRequest(adminRequest, environment), null, 2)}\n`);
  else {
    const fault = isOperatorCommand(command) ? 'arguments are missing or wrong' : 'unknown argument';
    fail([`${fault}: ${args.join(' ')}`, usage], 2);
  }
}

async function runDoctorCommand({ environment, widgetFolder }: Program): Promise<void> {
  const results = await runDoctor({ variables: environment, widgetFolder });
  print(formatResults(results));
  process.exitCode = results.some(({ level }) => level === 'fail') ? 1 : 0;
}

function runServer({ environment, widgetFolder }: Program): Promise<void> {
  return runProgram(async () => {
    const configuration = readServerEnvironment(environment);
    const server = await startServer(configuration, widgetFolder);
    return { lines: startupLines(configuration, server), close: () => server.close() };
  });
}

function startupLines(environment: ServerEnvironment, server: RunningServer): readonly string[] {
  const { mode, serviceUrl, receiver, isFeedRead } = environment;
  const { url, sandbox, metrics, admin, generatedToken } = server;
  return [
    `Checkout server  ${url}`,
    sandbox === null
      ? `Service          ${serviceUrl ?? ''} (${mode})`
      : `Sandbox          ${sandbox} (a trial: no money moves; open ${url} to make a test payment)`,
    `Database         ${describeStore(environment)}`,
    ...(metrics === null ? [] : [`Metrics          ${metrics}/metrics`]),
    `Operator's page  ${admin ?? url}/admin`,
    ...(generatedToken === null
      ? []
      : [`Admin token      ${generatedToken} (for this run; set ADMIN_TOKEN to choose one)`]),
    receiver === undefined
      ? `Outcomes         ${isFeedRead ? 'are read from the feed (OUTCOME_FEED=1)' : 'are not sent: OUTCOME_URL is not set'}`
      : `Outcomes         ${new URL(receiver.url).origin}`,
  ];
}
