import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  createInvoiceServiceClient,
  resolveSettings,
} from '../../../src/server/invoice-client/invoice-service-client.ts';

const token = 'canary-token-7f3a';
const baseUrl = 'https://invoices.example';

suite('the base URL', () => {
  const acceptedUrls = [
    ['https://invoices.example', 'https://invoices.example'],
    ['https://invoices.example/', 'https://invoices.example'],
    ['https://invoices.example:8443/gate/way//', 'https://invoices.example:8443/gate/way'],
    ['HTTPS://Invoices.Example', 'https://invoices.example'],
    ['http://127.0.0.1:8081', 'http://127.0.0.1:8081'],
    ['http://127.9.8.7', 'http://127.9.8.7'],
    ['http://localhost:8081/', 'http://localhost:8081'],
    ['http://sandbox.localhost', 'http://sandbox.localhost'],
    ['http://[::1]:8081', 'http://[::1]:8081'],
  ] as const;
  for (const [text, base] of acceptedUrls)
    test(`may be ${text}`, () =>
      assert.equal(
        resolveSettings({ baseUrl: text, token }).operationUrl('CreateInvoice'),
        `${base}/api/public/invoice.v1.PubInvoiceService/CreateInvoice`,
      ));

  const refusedUrls = [
    '',
    'invoices.example',
    '/api',
    'ftp://invoices.example',
    'javascript:alert(1)',
    'http://invoices.example',
  ];
  refusedUrls.push(
    'http://127.0.0.1.example',
    'http://localhost.example',
    'http://10.0.0.1',
    'http://[::2]',
    'http://1127.0.0.1',
  );
  refusedUrls.push(
    'https://user@invoices.example',
    'https://user:secret-word@invoices.example',
    'https://:secret-word@invoices.example',
  );
  refusedUrls.push(
    'https://invoices.example?',
    'https://invoices.example/?key=secret-word',
    'https://invoices.example/#x',
  );
  for (const text of refusedUrls)
    test(`may not be ${JSON.stringify(text)}`, () =>
      assert.throws(
        () => createInvoiceServiceClient({ baseUrl: text, token }),
        (error) => error instanceof TypeError && !error.message.includes('secret-word'),
      ));
});

suite('the token', () => {
  for (const text of [
    '',
    ' ',
    'two words',
    'line\nbreak',
    'cr\r\nx-header: 1',
    'ключ',
    'tab\t',
    'x'.repeat(8_193),
    'nul\0',
  ])
    test(`may not be ${JSON.stringify(text.slice(0, 20))}, and is not shown`, () =>
      assert.throws(
        () => createInvoiceServiceClient({ baseUrl, token: text }),
        (error) => error instanceof TypeError && (text.trim() === '' || !error.message.includes(text)),
      ));
  for (const missingToken of [undefined, null, 5])
    test(`may not be ${String(missingToken)}, as when an environment variable is missing`, () =>
      assert.throws(() => createInvoiceServiceClient({ baseUrl, token: missingToken as never }), {
        code: 'invalid_options',
        path: 'token',
        message: 'token: must be visible ASCII without spaces, or a function',
      }));
  for (const text of ['sandbox-token', 'eyJhbGciOi.J9.x_y-z=', '!#$%&~'])
    test(`may be ${text}`, () => assert.equal(resolveSettings({ baseUrl, token: text }).token, text));
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
      'token: must be visible ASCII without spaces, or a function',
      'requestsPerSecond.CreateInvoice: must be a whole number from 1',
    ].join('; '),
  });
});
