import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  createdInvoice,
  networkError,
  hang,
  json,
  scriptedClient,
  type ScriptedResponse,
} from '../../support/scripted-service-client.ts';
import { fixedRandom } from '../../support/fixed-random.ts';
import { assertSameTime } from '../../support/fake-clock.ts';

const hour = 3_600_000;
/** The machine's time when a test begins. */
const start = Date.UTC(2026, 10, 20, 10);
const responseWithDate = (date: string, status = 200): ScriptedResponse =>
  json(status, status === 200 ? {} : '', { date });
const httpDate = (at: number): string => new Date(at).toUTCString();

/** Makes one call for each response. Returns the client's estimate of the service's time, minus the machine's time. */
async function measureDifference(...responses: readonly ScriptedResponse[]): Promise<number | undefined> {
  const { service, clock, sentRequests } = scriptedClient(responses, { random: fixedRandom(0) });
  const { length } = responses;
  while (sentRequests.length < length) await clock.settle(service.fetchInvoices(['inv_1']));
  const serviceTime = service.time?.();
  return serviceTime === undefined ? undefined : serviceTime - clock.now();
}

/** The `Date` header is rounded down to seconds. The client assumes the middle of that second. */
const halfSecondMs = 500;

suite('the time of the service', () => {
  test('is not known before the first response', () => {
    assert.equal(scriptedClient([hang]).service.time?.(), undefined);
  });

  for (const [name, response] of [
    ['has no Date', json(200, {})],
    ['has an empty Date', responseWithDate('')],
    ['has words for a Date', responseWithDate('yesterday')],
    ['has a Date in the form of RFC 850', responseWithDate('Friday, 20-Nov-26 10:00:00 GMT')],
    ['has a Date in another zone', responseWithDate('Fri, 20 Nov 2026 13:00:00 +0300')],
    ['has a Date that does not exist', responseWithDate('Mon, 30 Feb 2026 10:00:00 GMT')],
    ['has an ISO 8601 Date', responseWithDate('2026-11-20T10:00:00Z')],
    ['never arrives', networkError('ECONNRESET')],
  ] as const)
    test(`is not known after a response that ${name}`, async () => {
      assert.equal(await measureDifference(response), undefined);
    });

  for (const [name, ms] of [
    ['the machine’s time', 0],
    ['a time an hour behind the machine’s', -hour],
    ['a time an hour ahead of the machine’s', hour],
    ['a time in 1970', -start],
    ['a time fifty years ahead', 50 * 8760 * hour],
  ] as const)
    test(`is that of a Date header with ${name}`, async () => {
      assertSameTime((await measureDifference(responseWithDate(httpDate(start + ms)))) ?? NaN, ms + halfSecondMs);
    });

  for (const status of [400, 429, 503])
    test(`is read from a response with the status ${status}`, async () => {
      const difference = await measureDifference(responseWithDate(httpDate(start + hour), status));
      assertSameTime(difference ?? NaN, hour + halfSecondMs);
    });

  test('is kept when a later response has no readable Date', async () => {
    const responses = [
      responseWithDate(httpDate(start + hour)),
      json(200, {}),
      responseWithDate('yesterday'),
      networkError('ECONNRESET'),
    ];
    assertSameTime((await measureDifference(...responses)) ?? NaN, hour + halfSecondMs);
  });

  test('is that of the newest response, even after a response with a Date in 1970', async () => {
    const difference = await measureDifference(responseWithDate(httpDate(0)), responseWithDate(httpDate(start)));
    assert.ok(difference !== undefined && Math.abs(difference) <= 1000, `${difference} ms`);
  });

  test('is read from the responses of the other operations, too', async () => {
    const headers = { date: httpDate(start + hour) };
    for (const [operation, response] of [
      ['fetchPaymentOptions', []],
      ['createInvoice', createdInvoice],
    ] as const) {
      const { service, clock } = scriptedClient([json(200, response, headers)]);
      const call: Promise<unknown> =
        operation === 'createInvoice'
          ? service.createInvoice({ amount: '1500.00', mode: 'TEST', external_id: 'att_1' })
          : service.fetchPaymentOptions('1500.00');
      await clock.settle(call);
      assertSameTime((service.time?.() ?? NaN) - clock.now(), hour + halfSecondMs);
    }
  });
});
