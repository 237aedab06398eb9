import { readServerEnvironment, type ServerEnvironment } from '../environment/server-environment.ts';
import { EnvironmentError, type Variables } from '../environment/read-variables.ts';
import { requireWidget, WidgetMissingError } from '../widget-files.ts';
import { checkPublicUrl, checkReceiver, checkService, type CheckPorts } from './check-addresses.ts';
import { checkDatabase, type CheckResult } from './check-database.ts';

interface DoctorOptions extends Partial<CheckPorts> {
  readonly variables: Variables;
  /** The package's `dist/cdn`. */
  readonly widgetFolder: string;
}

/** Checks the configuration, and the addresses and files in it. Returns a result for each check, or for each invalid variable. */
export async function runDoctor(options: DoctorOptions): Promise<readonly CheckResult[]> {
  const { variables, widgetFolder, fetch = globalThis.fetch, now = Date.now } = options;
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
  const ports = { fetch, now };
  const [service, publicUrl, database, receiver] = await Promise.all([
    checkService(environment, ports),
    checkPublicUrl(environment, ports),
    checkDatabase(environment),
    checkReceiver(environment, ports),
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

/** Formats the results as lines for a terminal. */
export function formatResults(results: readonly CheckResult[]): string {
  return results.map(({ level, subject, text }) => `${level.padEnd(6)}${subject.padEnd(15)}${text}\n`).join('');
}
