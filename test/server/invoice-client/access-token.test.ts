import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { inspect } from 'node:util';
import { readToken } from '../../../src/server/invoice-client/send-http-request.ts';
import { AutoAdvancingClock } from '../../support/auto-advancing-clock.ts';
import { createdInvoice, json, scriptedClient } from '../../support/scripted-service-client.ts';

const request = { amount: '1500.00', mode: 'TEST', external_id: 'att_1' } as const;

suite('a token that is a function', () => {
  test('is called for each request, and its token is sent', async () => {
    const tokens = ['first', 'second', 'third'];
    const { service, sentRequests, clock } = scriptedClient([json(500, ''), json(200, createdInvoice)], {
      token: () => Promise.resolve(tokens.shift() ?? 'last'),
    });
    await clock.value(service.createInvoice(request));
    await clock.value(service.fetchInvoices(['inv_1']));
    assert.deepEqual(
      sentRequests.map(({ headers }) => headers.get('authorization')),
      ['Bearer first', 'Bearer second', 'Bearer third'],
    );
  });
  test('may return its token without a promise', async () => {
    const { service, sentRequests, clock } = scriptedClient([json(200, createdInvoice)], { token: () => 'plain' });
    await clock.value(service.createInvoice(request));
    assert.equal(sentRequests[0]?.headers.get('authorization'), 'Bearer plain');
  });
  test('returns a token that is neither logged nor in the error when the service echoes it', async () => {
    const { service, log, failureOf } = scriptedClient(
      [json(400, { code: 'invalid_argument', message: 'Bearer canary-7f3a' })],
      {
        token: () => Promise.resolve('canary-7f3a'),
      },
    );
    const error = await failureOf(service.createInvoice(request));
    assert.ok(log.length > 0);
    assert.ok(!inspect([error, log], { depth: 20, showHidden: true }).includes('canary-7f3a'));
  });

  const failures: readonly (readonly [string, () => string | Promise<string>, string])[] = [
    ['rejects', () => Promise.reject(new Error('canary-7f3a')), 'failed'],
    [
      'throws',
      () => {
        throw new Error('canary-7f3a');
      },
      'failed',
    ],
    ['returns an empty text', () => '', 'returned no visible ASCII'],
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
