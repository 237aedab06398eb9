import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { fails, hang, json, scriptedClient, type ScriptedResponse } from '../../support/scripted-service-client.ts';

suite('the error of a call names the operation, the result and the number of tries', () => {
  for (const { answer, message } of [
    { answer: json(401, {}), message: 'FetchInvoices is refused after 1 try: unauthenticated, HTTP 401' },
    { answer: json(500, { code: 13 }), message: 'FetchInvoices is unavailable after 2 tries: internal, HTTP 500' },
    { answer: hang, message: 'FetchInvoices is unavailable after 1 try: deadline_exceeded, no answer, timeout' },
    {
      answer: fails('ECONNRESET'),
      message: 'FetchInvoices is unavailable after 2 tries: unavailable, no answer, connection_lost (ECONNRESET)',
    },
    {
      answer: fails('ECONNREFUSED', 'connect'),
      message: 'FetchInvoices is unavailable after 2 tries: unavailable, no answer, not_sent (ECONNREFUSED)',
    },
    {
      answer: json(200, '<html>'),
      message: 'FetchInvoices is unavailable after 2 tries: data_loss, HTTP 200, unreadable (not_json)',
    },
  ] satisfies readonly { readonly answer: ScriptedResponse; readonly message: string }[])
    test(message, async () => {
      const { service, failureOf } = scriptedClient([answer]);
      assert.equal((await failureOf(service.fetchInvoices(['inv_1']))).message, message);
    });
});

test('an abort during the wait for the next try prevents that try', async () => {
  const { service, sent, time, failureOf } = scriptedClient([json(503, '')]);
  const caller = new AbortController();
  const call = failureOf(service.fetchInvoices(['inv_1'], caller.signal));
  void time.sleep(1).then(() => caller.abort());
  assert.equal((await call).code, 'canceled');
  assert.equal(sent.length, 1);
});
