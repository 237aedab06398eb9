import { fetchPaymentOptionsResponse, operationPath } from '../../contract.ts';
import type { ServerEnvironment } from '../standalone-environment.ts';
import { parseJson, request, type Answer, type CheckPorts, type CheckResult } from './check.ts';

type Received = Extract<Answer, { readonly status: number }>;

/** A larger difference to the service's clock is a warning, or a failure; in milliseconds. */
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
  const answer = await request(`${serviceUrl}${operationPath('FetchPaymentOptions')}`, init, ports);
  const { origin } = new URL(serviceUrl);
  if (answer.failure !== undefined)
    return [
      {
        level: 'fail',
        subject: 'service',
        text: `${origin} cannot be reached (${answer.failure}): check INVOICE_BASE_URL, and the network from here`,
      },
      unknownToken,
    ];
  return [describeService(origin, answer), describeToken(answer), describeClock(answer)];
}

const unknownToken: CheckResult = {
  level: 'warn',
  subject: 'token',
  text: 'was not checked: the service does not answer as it should',
};

function isRefusal(status: number): boolean {
  return status === 401 || status === 403;
}

function countOptions({ status, text }: Received): number | undefined {
  const options = status === 200 ? fetchPaymentOptionsResponse.safeParse(parseJson(text)) : undefined;
  return options?.success === true ? options.data.options.length : undefined;
}

function describeService(origin: string, answer: Received): CheckResult {
  const { status } = answer;
  const subject = 'service';
  const count = countOptions(answer);
  if (count === 0)
    return { level: 'warn', subject, text: `${origin} has no payment methods: ask its provider to enable one` };
  if (count !== undefined) return { level: 'ok', subject, text: `${origin} answers; payment methods: ${count}` };
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
  const what = status === 200 ? 'no payment options' : `HTTP ${status}`;
  return { level: 'fail', subject, text: `${origin} answers with ${what}: check the address in INVOICE_BASE_URL` };
}

function describeToken(answer: Received): CheckResult {
  const { status } = answer;
  if (isRefusal(status))
    return {
      level: 'fail',
      subject: 'token',
      text: `the service refuses it with HTTP ${status}: set INVOICE_ACCESS_TOKEN to the token of this service`,
    };
  if (countOptions(answer) === undefined) return unknownToken;
  return { level: 'ok', subject: 'token', text: 'the service accepts it' };
}

function describeClock({ headers, at }: Received): CheckResult {
  const subject = 'clock';
  const time = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(time))
    return { level: 'warn', subject, text: 'was not compared: the service sends no Date; keep it right by NTP' };
  const difference = at - (time + 500); // `Date` is rounded down to a second
  const size = Math.abs(difference);
  if (size <= clockLimits.warn) return { level: 'ok', subject, text: 'agrees with the service’s within 5 s' };
  return {
    level: size > clockLimits.fail ? 'fail' : 'warn',
    subject,
    text: `is ${Math.round(size / 1000)} s ${difference > 0 ? 'ahead of' : 'behind'} the service’s: set it by NTP`,
  };
}
