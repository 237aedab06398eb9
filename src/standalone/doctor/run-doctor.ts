import { readServerEnvironment, type ServerEnvironment } from '../environment/server-environment.ts';
import { EnvironmentError, hostOf, isLoopback, type Variables } from '../environment/read-variables.ts';
import { requireWidget, WidgetMissingError } from '../widget-files.ts';
import { checkDatabase } from './check-database.ts';
import { checkService } from './check-service.ts';
import { parseJson, sendRequest, type CheckPorts, type CheckResult } from './check.ts';
import { z } from 'zod';

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

/** The path of a webhook that belongs to no order. This server answers a GET of it with a 405 that no other program sends. */
const unknownWebhookPath = '/checkout/hook/ZG9jdG9y/no-secret-at-all';
const methodRefusalSchema = z.object({ code: z.literal('invalid_request'), status: z.literal(405) });

type Addresses = Pick<ServerEnvironment, 'publicUrl' | 'serviceUrl'>;

/** Requests the URL of a webhook under `PUBLIC_URL` from this machine, and checks that a checkout server responds. */
async function checkPublicUrl({ publicUrl, serviceUrl }: Addresses, ports: CheckPorts): Promise<CheckResult> {
  const subject = 'public URL';
  if (publicUrl === undefined)
    return serviceUrl === undefined
      ? { level: 'ok', subject, text: 'is not needed in a trial' }
      : {
          level: 'warn',
          subject,
          text: 'PUBLIC_URL is not set: browsers and notifications come to where the server listens',
        };
  const response = await sendRequest(`${publicUrl}${unknownWebhookPath}`, {}, ports);
  const { origin } = new URL(publicUrl);
  if (response.failure === 'ECONNREFUSED')
    return { level: 'warn', subject, text: `nothing listens at ${origin}: start the server, then check again` };
  if (response.failure !== undefined)
    return { level: 'fail', subject, text: `${origin} cannot be reached from here (${response.failure}): check PUBLIC_URL, DNS, the certificate and the proxy` }; // prettier-ignore
  const { status } = response;
  if ([502, 503, 504].includes(status))
    return { level: 'warn', subject, text: `the proxy at ${origin} answers with HTTP ${status}: start the server, then check again` }; // prettier-ignore
  if (!methodRefusalSchema.safeParse(parseJson(response.text)).success)
    return { level: 'fail', subject, text: `${origin} answers with HTTP ${status}, and not from this server: pass /checkout/ with all methods to it` }; // prettier-ignore
  if (serviceUrl !== undefined && isLoopback(hostOf(publicUrl)) && !isLoopback(hostOf(serviceUrl)))
    return { level: 'warn', subject, text: `${origin} is this machine: the service cannot notify it, and payers cannot open it` }; // prettier-ignore
  return { level: 'ok', subject, text: `webhooks to ${origin} arrive, from here; the service must reach it too` };
}

/** Sends a GET without a signature and without an outcome to the receiver of outcomes, which must refuse the request. */
async function checkReceiver(
  { receiver, isFeedRead }: Pick<ServerEnvironment, 'receiver' | 'isFeedRead'>,
  ports: CheckPorts,
): Promise<CheckResult> {
  const subject = 'outcomes';
  if (receiver === undefined && isFeedRead)
    return { level: 'ok', subject, text: 'are read from the feed: nothing is sent' };
  if (receiver === undefined)
    return { level: 'warn', subject, text: 'OUTCOME_URL is not set: outcomes are not sent; OUTCOME_FEED=1 if they are read from the feed' }; // prettier-ignore
  const response = await sendRequest(receiver.url, {}, ports);
  const { origin } = new URL(receiver.url);
  if (response.failure !== undefined)
    return { level: 'fail', subject, text: `${origin} cannot be reached (${response.failure}): check OUTCOME_URL, and start the receiver` }; // prettier-ignore
  const { status } = response;
  if (status < 300)
    return { level: 'fail', subject, text: `${origin} accepts a request without a signature (HTTP ${status}): it must verify signatures` }; // prettier-ignore
  if (status < 400)
    return { level: 'fail', subject, text: `${origin} redirects (HTTP ${status}), which is not followed: set OUTCOME_URL to the last address` }; // prettier-ignore
  if (status >= 500)
    return { level: 'fail', subject, text: `${origin} answers with HTTP ${status}: read the log of the receiver` };
  if (status === 404)
    return { level: 'warn', subject, text: `${origin} answers GET with HTTP 404: right where it takes POST alone, else check the path in OUTCOME_URL` }; // prettier-ignore
  return { level: 'ok', subject, text: `${origin} refuses a request without a signature (HTTP ${status})` };
}
