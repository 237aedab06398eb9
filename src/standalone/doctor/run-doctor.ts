import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseEnvironment } from '../environment/checkout-environment.ts';
import { readServerEnvironment, type ServerEnvironment } from '../environment/server-environment.ts';
import { toError } from '../../base/thrown-value.ts';
import type { Variables } from '../../base/given-variables.ts';
import { EnvironmentError } from '../environment/read-variables.ts';
import { adviceOnFileRights, openStore, sqliteFileIn } from '../open-store.ts';
import { requireWidget, WidgetMissingError } from '../widget-files.ts';
import { checkPublicUrl, checkReceiver, checkService, type CheckResult } from './check-addresses.ts';

interface DoctorOptions {
  readonly variables: Variables;
  /** The package's `dist/cdn`. */
  readonly widgetFolder: string;
  /** The time in milliseconds since 1970. */
  readonly now?: () => number;
}

/** Checks the configuration, and the addresses and files in it. Returns a result for each check, or for each invalid variable. */
export async function runDoctor(options: DoctorOptions): Promise<readonly CheckResult[]> {
  const { variables, widgetFolder, now = Date.now } = options;
  const subject = 'configuration';
  let environment: ServerEnvironment;
  try {
    environment = readServerEnvironment(variables);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    const variableFailures = error.problems.map((text) => ({ level: 'fail', subject, text }) as const);
    return [
      ...variableFailures,
      { level: 'warn', subject, text: 'the other checks run when the configuration is right' },
    ];
  }
  const [service, publicUrl, database, receiver] = await Promise.all([
    checkService(environment, now),
    checkPublicUrl(environment, now),
    checkDatabase(environment),
    checkReceiver(environment, now),
  ]);
  const configuration: CheckResult = { level: 'ok', subject, text: `all variables can be used; ${environment.mode}` };
  return [configuration, checkWidget(widgetFolder), ...service, publicUrl, database, receiver];
}

function checkWidget(folder: string): CheckResult {
  const subject = 'widget';
  try {
    requireWidget(folder);
    return { level: 'ok', subject, text: 'its files are there' };
  } catch (error) {
    if (!(error instanceof WidgetMissingError)) throw error;
    return { level: 'fail', subject, text: error.message };
  }
}

type DatabasePlace = Omit<DatabaseEnvironment, 'migrate'> & Partial<Pick<DatabaseEnvironment, 'migrate'>>;

/** Checks that the database can be opened as the start opens it, and that it can be written. Creates and changes no tables. */
export async function checkDatabase(place: DatabasePlace): Promise<CheckResult> {
  const { databaseUrl, dataDir } = place;
  const subject = 'database';
  const file = sqliteFileIn(dataDir);
  const name = databaseUrl === undefined ? `SQLite ${file}` : 'PostgreSQL of DATABASE_URL';
  try {
    const text = `${name}: ${await inspect(place, file)}`;
    const advice = adviceOnFileRights(place);
    return {
      level: advice === undefined ? 'ok' : 'warn',
      subject,
      text: advice === undefined ? text : `${text}; ${advice}`,
    };
  } catch (error) {
    const [reason = ''] = toError(error).message.split('\n');
    const variable = databaseUrl === undefined ? 'DATA_DIR' : 'DATABASE_URL';
    return { level: 'fail', subject, text: `${name}: ${reason}: check ${variable}` };
  }
}

/** Says in which state the tables are. Rejects when the database cannot be opened or written. */
async function inspect(place: DatabasePlace, file: string): Promise<string> {
  const missing = 'has no tables yet; the start makes them';
  if (place.databaseUrl === undefined && !existsSync(file)) {
    const folder = findExistingFolder(dirname(resolve(file)));
    readdirSync(folder); // throws when `folder` is a file
    accessSync(folder, constants.W_OK);
    return missing;
  }
  try {
    const store = await openStore({ ...place, migrate: false });
    await store.check().finally(() => store.close());
  } catch (error) {
    const { code } = toError(error);
    if (place.migrate === false) throw error; // the start does not change the tables
    if (code === 'tables_missing') return missing;
    if (code !== 'tables_older') throw error;
  }
  return 'can be written; no migration was run, the start runs those that are new';
}

/** Returns the folder, or its nearest parent that exists: the start creates the missing folders in that parent. */
function findExistingFolder(path: string): string {
  return existsSync(path) ? path : findExistingFolder(dirname(path));
}

/** Formats the results as lines for a terminal. */
export function formatResults(results: readonly CheckResult[]): string {
  return results.map(({ level, subject, text }) => `${level.padEnd(6)}${subject.padEnd(15)}${text}\n`).join('');
}
