import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  createdInvoice,
  fails,
  hang,
  json,
  scriptedClient,
  type ScriptedResponse,
} from '../../support/scripted-service-client.ts';

const hour = 3_600_000;
/** The machine's time when a test begins. */
const start = Date.UTC(2026, 10, 20, 10);
const dated = (date: string, status = 200): ScriptedResponse => json(status, status === 200 ? [] : '', { date });
const httpDate = (at: number): string => new Date(at).toUTCString();

/** The difference of the service's time, as the client estimates it after one call for each answer, to the machine's time. */
async function differenceAfter(...answers: readonly ScriptedResponse[]): Promise<number | undefined> {
  const { service, time } = scriptedClient(answers, { tries: { FetchInvoices: 1 } });
  const { length } = answers;
  for (let calls = 0; calls < length; calls += 1) await time.settle(service.fetchInvoices(['inv_1']));
  const serviceTime = service.time?.();
  return serviceTime === undefined ? undefined : serviceTime - time.now();
}

/** A `Date` is rounded down to seconds: the middle of that second is assumed. */
const middleMs = 500;

suite('the time of the service', () => {
  test('is not known before the first response', () => {
    assert.equal(scriptedClient([hang]).service.time?.(), undefined);
  });

  for (const [name, answer] of [
    ['has no Date', json(200, [])],
    ['has an empty Date', dated('')],
    ['has words for a Date', dated('yesterday')],
    ['has a Date in the form of RFC 850', dated('Friday, 20-Nov-26 10:00:00 GMT')],
    ['has a Date in another zone', dated('Fri, 20 Nov 2026 13:00:00 +0300')],
    ['has a Date that does not exist', dated('Mon, 30 Feb 2026 10:00:00 GMT')],
    ['has an ISO 8601 Date', dated('2026-11-20T10:00:00Z')],
    ['never arrives', fails('ECONNRESET')],
  ] as const)
    test(`is not known after a response that ${name}`, async () => {
      assert.equal(await differenceAfter(answer), undefined);
    });

  for (const [name, ms] of [
    ['the machine’s own time', 0],
    ['an hour behind', -hour],
    ['an hour ahead', hour],
    ['in 1970', -start],
    ['fifty years ahead', 50 * 8760 * hour],
  ] as const)
    test(`is that of the Date header: ${name}`, async () => {
      assert.equal(await differenceAfter(dated(httpDate(start + ms))), ms + middleMs);
    });

  for (const status of [400, 429, 503])
    test(`is read from a response with ${status} as well`, async () => {
      assert.equal(await differenceAfter(dated(httpDate(start + hour), status)), hour + middleMs);
    });

  test('is kept when a later response has no readable Date', async () => {
    const answers = [dated(httpDate(start + hour)), json(200, []), dated('yesterday'), fails('ECONNRESET')];
    assert.equal(await differenceAfter(...answers), hour + middleMs);
  });

  test('is right again after one response with a Date that is far away', async () => {
    const difference = await differenceAfter(dated(httpDate(0)), dated(httpDate(start)));
    assert.ok(difference !== undefined && Math.abs(difference) <= 1000, `${difference} ms`);
  });

  test('is read from every operation', async () => {
    const headers = { date: httpDate(start + hour) };
    for (const [operation, answer] of [
      ['fetchPaymentOptions', []],
      ['createInvoice', createdInvoice],
    ] as const) {
      const { service, time } = scriptedClient([json(200, answer, headers)]);
      const call: Promise<unknown> =
        operation === 'createInvoice'
          ? service.createInvoice({ amount: '1500.00', mode: 'TEST', external_id: 'att_1' })
          : service.fetchPaymentOptions('1500.00');
      await time.settle(call);
      assert.equal((service.time?.() ?? NaN) - time.now(), hour + middleMs, operation);
    }
  });
});
