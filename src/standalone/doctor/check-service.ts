import { fetchPaymentOptionsResponse, operationPath } from '../../service-api.ts';
import type { ServerEnvironment } from '../environment/server-environment.ts';
import { parseJson, sendRequest, type RequestResult, type CheckPorts, type CheckResult } from './check.ts';

type ReceivedResponse = Extract<RequestResult, { readonly status: number }>;

/** Differences to the service's clock, in milliseconds, above which the check warns or fails. */
const clockLimits = { warn: 5000, fail: 60_000 };

/**
 * Requests the payment options, which changes nothing. Checks whether the service answers, whether it accepts the token, and
 * how far its clock differs.
 */
export async function checkService(
  { serviceUrl, token }: Pick<ServerEnvironment, 'serviceUrl' | 'token'>,
  ports: CheckPorts,
): Promise<readonly CheckResult[]> {
  if (serviceUrl === undefined)
    return [
      {
        level: 'warn',
        subject: 'service',
        text: 'a trial with a sandbox: no money moves until INVOICE_BASE_URL is set',
      },
    ];
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: '{}' };
  const response = await sendRequest(`${serviceUrl}${operationPath('FetchPaymentOptions')}`, init, ports);
  const { origin } = new URL(serviceUrl);
  if (response.failure !== undefined)
    return [
      {
        level: 'fail',
        subject: 'service',
        text: `${origin} cannot be reached (${response.failure}): check INVOICE_BASE_URL, and the network from here`,
      },
      uncheckedTokenResult,
    ];
  return [describeService(origin, response), describeToken(response), describeClock(response)];
}

const uncheckedTokenResult: CheckResult = {
  level: 'warn',
  subject: 'token',
  text: 'was not checked: the service does not answer as it should',
};

function isRefusal(status: number): boolean {
  return status === 401 || status === 403;
}

function countOptions({ status, text }: ReceivedResponse): number | undefined {
  const options = status === 200 ? fetchPaymentOptionsResponse.safeParse(parseJson(text)) : undefined;
  return options?.success === true ? options.data.options.length : undefined;
}

function describeService(origin: string, response: ReceivedResponse): CheckResult {
  const { status } = response;
  const subject = 'service';
  const optionCount = countOptions(response);
  if (optionCount === 0)
    return { level: 'warn', subject, text: `${origin} has no payment methods: ask its provider to enable one` };
  if (optionCount !== undefined)
    return { level: 'ok', subject, text: `${origin} answers; payment methods: ${optionCount}` };
  if (isRefusal(status)) return { level: 'ok', subject, text: `${origin} answers` };
  if (status === 429)
    return {
      level: 'warn',
      subject,
      text: `${origin} answers with HTTP 429: its rate limit is reached; try again later`,
    };
  if (status >= 500)
    return {
      level: 'fail',
      subject,
      text: `${origin} answers with HTTP ${status}: try again later, or ask its provider`,
    };
  const unexpectedResult = status === 200 ? 'no payment options' : `HTTP ${status}`;
  return {
    level: 'fail',
    subject,
    text: `${origin} answers with ${unexpectedResult}: check the address in INVOICE_BASE_URL`,
  };
}

function describeToken(response: ReceivedResponse): CheckResult {
  const { status } = response;
  if (isRefusal(status))
    return {
      level: 'fail',
      subject: 'token',
      text: `the service refuses it with HTTP ${status}: set INVOICE_ACCESS_TOKEN to the token of this service`,
    };
  if (countOptions(response) === undefined) return uncheckedTokenResult;
  return { level: 'ok', subject: 'token', text: 'the service accepts it' };
}

function describeClock({ headers, receivedAt }: ReceivedResponse): CheckResult {
  const subject = 'clock';
  const serviceTime = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(serviceTime))
    return { level: 'warn', subject, text: 'was not compared: the service sends no Date; keep it right by NTP' };
  const differenceMs = receivedAt - (serviceTime + 500); // `Date` is rounded down to a second
  const absoluteDifferenceMs = Math.abs(differenceMs);
  if (absoluteDifferenceMs <= clockLimits.warn)
    return { level: 'ok', subject, text: 'agrees with the service’s within 5 s' };
  return {
    level: absoluteDifferenceMs > clockLimits.fail ? 'fail' : 'warn',
    subject,
    text: `is ${Math.round(absoluteDifferenceMs / 1000)} s ${differenceMs > 0 ? 'ahead of' : 'behind'} the service’s: set it by NTP`,
  };
}
