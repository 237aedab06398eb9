import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  networkError,
  hang,
  json,
  scriptedClient,
  type ScriptedResponse,
} from '../../support/scripted-service-client.ts';

suite('the error of a call names the operation, the result and the number of tries', () => {
  for (const { response, message } of [
    { response: json(401, {}), message: 'FetchInvoices is refused after 1 try: unauthenticated, HTTP 401' },
    { response: json(500, { code: 13 }), message: 'FetchInvoices is unavailable after 1 try: internal, HTTP 500' },
    { response: hang, message: 'FetchInvoices is unavailable after 1 try: deadline_exceeded, no answer, timeout' },
    {
      response: networkError('ECONNRESET'),
      message: 'FetchInvoices is unavailable after 1 try: unavailable, no answer, connection_lost (ECONNRESET)',
    },
    {
      response: networkError('ECONNREFUSED', 'connect'),
      message: 'FetchInvoices is unavailable after 1 try: unavailable, no answer, not_sent (ECONNREFUSED)',
    },
    {
      response: json(200, '<html>'),
      message: 'FetchInvoices is unavailable after 1 try: data_loss, HTTP 200, unreadable (not_json)',
    },
  ] satisfies readonly { readonly response: ScriptedResponse; readonly message: string }[])
    test(message, async () => {
      const { service, failureOf } = scriptedClient([response]);
      assert.equal((await failureOf(service.fetchInvoices(['inv_1']))).message, message);
    });
});
