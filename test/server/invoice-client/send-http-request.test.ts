import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { inspect } from 'node:util';
import { readToken, parseHttpDate, readRetryAfter } from '../../../src/server/invoice-client/send-http-request.ts';
import { AutoAdvancingClock } from '../../support/auto-advancing-clock.ts';
import { createdInvoice, qrFailure, json, scriptedClient } from '../../support/scripted-service-client.ts';

const request = { amount: '1500.00', mode: 'TEST', external_id: 'att_1' } as const;

suite('a token that is a function', () => {
  test('is called for each request, and its token is sent', async () => {
    const tokens = ['first', 'second', 'third'];
    const { service, sentRequests, clock } = scriptedClient([qrFailure, json(200, createdInvoice)], {
      token: () => Promise.resolve(tokens.shift() ?? 'last'),
    });
    await clock.value(service.createInvoice({ ...request, qr: { generate: true } }));
    await clock.value(service.fetchInvoices(['inv_1']));
    assert.deepEqual(
      sentRequests.map(({ headers }) => headers.get('authorization')),
      ['Bearer first', 'Bearer second', 'Bearer third'],
    );
  });
  const failures: readonly (readonly [string, () => string | Promise<string>, string])[] = [
    ['rejects', () => Promise.reject(new Error('canary-7f3a')), 'failed'],
    ['returns two lines', () => 'canary-7f3a\r\nx-header: 1', 'returned no visible ASCII'],
    ['never settles', () => new Promise(() => undefined), 'did not answer in time'],
  ];
  for (const [name, token, reason] of failures)
    test(`prevents the request when it ${name}, with an error that does not contain the token`, async () => {
      const { service, sentRequests, log, failureOf } = scriptedClient([json(200, createdInvoice)], { token });
      for (const call of [() => service.createInvoice(request), () => service.fetchInvoices(['inv_1'])]) {
        const error = await failureOf(call());
        assert.deepEqual([error.failure, error.code, error.httpStatus], ['unavailable', 'unauthenticated', 0]);
        assert.ok(error.message.includes(`the token function ${reason}`), error.message);
        assert.ok(!inspect([error, log], { depth: 20, showHidden: true }).includes('canary-7f3a'));
      }
      assert.equal(sentRequests.length, 0);
      assert.deepEqual(
        log.map(({ level, event }) => [level, event]),
        Array(2).fill(['error', 'invoice_service_token_failed']),
      );
    });
  test('that hangs is told as a time-out on a clock whose timers fire early', async () => {
    const clock = new AutoAdvancingClock();
    const earlyClock = {
      now: () => clock.now(),
      schedule: (ms: number, task: () => void) => clock.schedule(ms - 1.4, task),
    };
    const result = clock.value(readToken(() => new Promise(() => undefined), earlyClock, 8_000, undefined));
    assert.deepEqual(await result, {
      ok: false,
      failure: { kind: 'no_token', detail: 'the token function did not answer in time' },
    });
  });
  test('that does not settle is no longer awaited when the caller aborts', async () => {
    const { service, sentRequests, failureOf, clock } = scriptedClient([json(200, createdInvoice)], {
      token: () => new Promise(() => undefined),
    });
    const caller = new AbortController();
    void clock.sleep(1_000).then(() => caller.abort());
    assert.equal((await failureOf(service.fetchInvoices(['inv_1'], caller.signal))).code, 'canceled');
    assert.equal(sentRequests.length, 0);
  });
});

const now = Date.UTC(2026, 10, 20, 10);

suite('readRetryAfter', () => {
  const rows: readonly (readonly [string, Record<string, string>, number | undefined])[] = [
    ['seconds', { 'retry-after': '7' }, 7_000],
    ['seconds beyond the maximum', { 'retry-after': '86400' }, 60_000],
    ['an HTTP-date in the future', { 'retry-after': 'Fri, 20 Nov 2026 10:00:30 GMT' }, 30_000],
    ['an HTTP-date in the past', { 'retry-after': 'Fri, 20 Nov 2026 09:00:00 GMT' }, 0],
    [
      'an HTTP-date of a service whose clock is a year behind',
      { 'retry-after': 'Thu, 20 Nov 2025 10:00:09 GMT', date: 'Thu, 20 Nov 2025 10:00:00 GMT' },
      9_000,
    ],
    ['an HTTP-date beside an invalid Date', { 'retry-after': 'Fri, 20 Nov 2026 10:00:05 GMT', date: 'today' }, 5_000],
    ['no header', {}, undefined],
    ['negative seconds', { 'retry-after': '-1' }, undefined],
    ['a fraction', { 'retry-after': '1.5' }, undefined],
    ['RFC 3339', { 'retry-after': '2026-11-20T10:00:30Z' }, undefined],
  ];
  for (const [name, headers, expected] of rows)
    test(`reads ${name} as ${expected === undefined ? 'none' : `${expected} ms`}`, () =>
      assert.equal(readRetryAfter(new Headers(headers), now), expected));
});

suite('parseHttpDate', () => {
  test('reads the text that Date.toUTCString writes', () => {
    for (let day = 0; day < 800; day += 1) {
      const at = now + day * 86_399_000;
      assert.equal(parseHttpDate(new Date(at).toUTCString()), at);
    }
  });
  test('refuses any other text', () => {
    for (const text of [
      'at Fri, 20 Nov 2026 10:00:00 GMT',
      'Mon, 30 Feb 2026 10:00:00 GMT',
      'Fri, 20 Nov 2026 24:00:00 GMT',
      'Fri, 20 Nov 2026 10:00:00 UTC',
      'Fri, 20 Nov 2026 10:00:00 GMT garbage',
      '20 Nov 2026 10:00:00 GMT',
      'Thu, 31 Dec 2026 23:59:60 GMT',
      'Mon, 20 Nov 2026 10:00:00 GMT',
      '',
    ])
      assert.equal(parseHttpDate(text), undefined, text);
  });
});
