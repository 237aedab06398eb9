import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  createInvoiceServiceClient,
  resolveSettings,
} from '../../../src/server/invoice-client/invoice-service-client.ts';

const token = 'canary-token-7f3a';
const baseUrl = 'https://invoices.example';

suite('the base URL', () => {
  for (const [text, base] of [
    ['https://invoices.example/', 'https://invoices.example'],
    ['https://invoices.example:8443/gate/way//', 'https://invoices.example:8443/gate/way'],
    ['HTTPS://Invoices.Example', 'https://invoices.example'],
    ['http://127.0.0.1:8081', 'http://127.0.0.1:8081'],
  ] as const)
    test(`may be ${text}`, () =>
      assert.equal(
        resolveSettings({ baseUrl: text, token }).operationUrl('CreateInvoice'),
        `${base}/api/public/invoice.v1.PubInvoiceService/CreateInvoice`,
      ));

  for (const text of [
    '/api',
    'ftp://invoices.example',
    'http://invoices.example',
    'https://user@invoices.example',
    'https://:secret-word@invoices.example',
    'https://invoices.example?',
    'https://invoices.example/?key=secret-word',
    'https://invoices.example/#x',
  ])
    test(`may not be ${JSON.stringify(text)}`, () =>
      assert.throws(
        () => createInvoiceServiceClient({ baseUrl: text, token }),
        (error) => error instanceof TypeError && !error.message.includes('secret-word'),
      ));
});

suite('the token', () => {
  for (const text of [' ', 'two words', 'cr\r\nx-header: 1', 'ключ', '"in-quotes"', "'in-quotes'", 'x'.repeat(8_193)])
    test(`may not be ${JSON.stringify(text.slice(0, 20))}, and is not shown`, () =>
      assert.throws(
        () => createInvoiceServiceClient({ baseUrl, token: text }),
        (error) => error instanceof TypeError && (text.trim() === '' || !error.message.includes(text)),
      ));
  test('may not be missing, as when an environment variable is missing', () =>
    assert.throws(() => createInvoiceServiceClient({ baseUrl, token: undefined as never }), {
      code: 'invalid_options',
      path: 'token',
      message: 'token: must be visible ASCII without spaces and quotes, or a function',
    }));
  test('may be any visible ASCII', () => assert.equal(resolveSettings({ baseUrl, token: '!#$%&~' }).token, '!#$%&~'));
});

test('all wrong options are told at once, each with its path', () => {
  const options = { baseUrl: 'x', token: '', requestsPerSecond: { CreateInvoice: 0 }, retries: 3 };
  assert.throws(() => createInvoiceServiceClient(options), {
    name: 'CheckoutOptionsError',
    code: 'invalid_options',
    path: 'retries',
    message: [
      'retries: is unknown',
      'baseUrl: must be a URL',
      'token: must be visible ASCII without spaces and quotes, or a function',
      'requestsPerSecond.CreateInvoice: must be a whole number from 1',
    ].join('; '),
  });
});
