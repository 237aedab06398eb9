import fc from 'fast-check';
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { inspect } from 'node:util';
import type { CreateInvoiceRequest } from '../../../src/service-api.ts';
import { InvoiceServiceError } from '../../../src/server/ports/invoice-service.ts';
import { redactForLog, redactId } from '../../../src/server/invoice-client/send-http-request.ts';
import { createdInvoice, json, scriptedClient, type ScriptedResponse } from '../../support/scripted-service-client.ts';
import { holds } from '../../support/property-tests.ts';

const token = 'canary-token-7f3a';
const numbers = ['4276380012345678', '4276 3800 1234 5678', '+79161234567', '916) 123-45-67', '40817810099910004312'];
const canaries = [token, ...numbers, 'Каренин', 'metadata-canary'];

const request: CreateInvoiceRequest = {
  amount: '1500.00',
  mode: 'TEST',
  external_id: 'att_1',
  metadata: { note: 'metadata-canary' },
};
const requisites = {
  holder_name: 'Каренин',
  card_number: '4276380012345678',
  phone: '+79161234567',
  account: '40817810099910004312',
};
const textWithSecrets = `Bearer ${token} 4276380012345678, 4276 3800 1234 5678, +7 (916) 123-45-67, +79161234567, 40817810099910004312`;

/** Responses that contain the secrets, in each place whose text could be logged. */
const responses: readonly (readonly [string, ScriptedResponse])[] = [
  ['an error that echoes the secrets in its code', json(500, { code: textWithSecrets, message: textWithSecrets })],
  ['a 401 that echoes the secrets', json(401, { code: 16, message: textWithSecrets })],
  ['HTML that echoes the secrets', json(502, `<html>${textWithSecrets}</html>`)],
  ['a success that is not JSON', json(200, textWithSecrets)],
  ['an invoice that cannot be read', json(200, { id: 5, ...requisites, sbp: requisites, card: requisites })],
  [
    'a list of items that cannot be read',
    json(200, { invoices: [requisites, { id: textWithSecrets, ...requisites }], options: [requisites] }),
  ],
  [
    'a redirect to an address with the secrets',
    json(302, '', { location: `https://evil.example/?${encodeURIComponent(textWithSecrets)}` }),
  ],
  [
    'an error of fetch that names the secrets',
    () => {
      const cause = Object.assign(new Error(textWithSecrets), {
        code: token,
        headers: { authorization: `Bearer ${token}` },
        socket: textWithSecrets,
      });
      throw new TypeError(`"Bearer ${token}" is an invalid header value`, { cause });
    },
  ],
];

suite('the token, requisites and metadata', () => {
  for (const [name, response] of responses)
    test(`are in no error and no line of the log after ${name}`, async () => {
      const { service, log, clock } = scriptedClient([response], { token });
      const results = [
        await clock.settle(service.createInvoice(request)),
        await clock.settle(service.fetchInvoices(['inv_1'])),
        await clock.settle(service.fetchPaymentOptions('1')),
      ];
      const errors = results.flatMap((result) => {
        const reason: unknown = result.status === 'rejected' ? result.reason : undefined;
        return reason instanceof InvoiceServiceError ? [reason, reason.message, reason.stack, reason.cause] : [];
      });
      assert.ok(log.length + errors.length > 0);
      const visibleText = inspect([errors, log], { depth: 20, showHidden: true, maxStringLength: null });
      for (const canary of canaries) assert.ok(!visibleText.includes(canary), canary);
      assert.ok(!visibleText.includes(encodeURIComponent('Каренин')));
    });
});

suite('a failed try', () => {
  for (const [status, event] of [
    [401, 'invoice_service_access_refused'],
    [403, 'invoice_service_access_refused'],
    [308, 'invoice_service_redirect_refused'],
  ] as const)
    test(`is logged as the error ${event} after ${status}, and is not repeated`, async () => {
      const { service, sentRequests, log, clock } = scriptedClient([
        json(status, '', { location: 'https://other.example/' }),
      ]);
      await clock.settle(service.fetchInvoices(['inv_1']));
      assert.deepEqual([log.map((line) => [line.level, line.event]), sentRequests.length], [[['error', event]], 1]);
    });
  test('is logged as a warning when it may be repeated', async () => {
    const { service, log, failureOf } = scriptedClient([json(500, { code: 13, message: 'boom' })]);
    await failureOf(service.createInvoice(request));
    assert.deepEqual(log, [
      {
        level: 'warn',
        event: 'invoice_service_try_failed',
        facts: {
          operation: 'CreateInvoice',
          failure: 'ambiguous',
          qr: 'not_the_cause',
          kind: 'answer',
          code: 'internal',
          http_status: 500,
          service_message: 'boom',
        },
      },
    ]);
  });
});

suite('an arbitrary response', () => {
  test('leads to a value or an InvoiceServiceError, and never shows the token', async () => {
    const body = fc.oneof(
      fc.json(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(JSON.stringify(createdInvoice), textWithSecrets, ''),
    );
    const status = fc.oneof(fc.integer({ min: 200, max: 599 }), fc.constant(200));
    await holds(
      fc.asyncProperty(status, body, async (code, text) => {
        const isBodyless = [204, 205, 304].includes(code);
        const { service, log, clock } = scriptedClient(
          [() => new Response(isBodyless ? null : text, { status: code })],
          {
            token,
          },
        );
        const calls = [
          () => service.createInvoice(request),
          () => service.fetchInvoices(['inv_1']),
          () => service.fetchPaymentOptions('1'),
        ];
        for (const call of calls) {
          const result = await clock.settle<unknown>(call());
          if (result.status === 'rejected') assert.ok(result.reason instanceof InvoiceServiceError);
          assert.ok(!inspect([result, log], { depth: 10 }).includes(token));
        }
      }),
      300,
    );
  });
});

suite('redactForLog', () => {
  const rows = [
    ['at least 100.00', 'at least 100.00'],
    [`invalid token ${token}!`, 'invalid token [token]!'],
    ['card 4276 3800 1234 5678 is blocked', 'card [digits] is blocked'],
    ['call +7 (916) 123-45-67', 'call +[digits]'],
    ['card ٤٢٧٦٣٨٠٠', 'card [digits]'],
    ['two\nlines\u202e\u0000 and\u200b more', 'two lines  and  more'],
  ] as const;
  for (const [text, visibleText] of rows)
    test(`changes ${JSON.stringify(text.replace(token, '…'))} to ${JSON.stringify(visibleText)}`, () =>
      assert.equal(redactForLog(text, token), visibleText));
  test('returns at most 200 characters', () => assert.equal(redactForLog('x'.repeat(999), token).length, 200));
});

test('redactId returns the identifiers of the service, and "unreadable" for any other value', () => {
  for (const id of ['inv_1', 'inv_01HF-x_Y']) assert.equal(redactId(id), id);
  for (const id of [5, undefined, 'inv_', '4276380012345678', 'inv_<b>', '<b>inv_1', `inv_${'x'.repeat(65)}`])
    assert.equal(redactId(id), 'unreadable');
});
