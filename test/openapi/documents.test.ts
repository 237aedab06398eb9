import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { z } from 'zod';
import { checkoutDocument } from '../../scripts/generate/openapi/checkout.ts';
import { createComponents, formatDocument, type Json } from '../../scripts/generate/openapi/document.ts';
import { invoiceServiceDocument } from '../../scripts/generate/openapi/invoice-service.ts';
import { operationPath, operations } from '../../src/service-api.ts';
import { calls, problemCodes, statusOfProblem } from '../../src/checkout-api.ts';

const projectFolder = new URL('../../', import.meta.url);
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(await readFile(new URL('package.json', projectFolder), 'utf8')));

const documents: readonly (readonly [file: string, document: Json])[] = [
  ['checkout.json', checkoutDocument(version)],
  ['invoice-service.json', invoiceServiceDocument(version)],
];

for (const [file, document] of documents) {
  test(`docs/openapi/${file} is up to date (\`npm run generate\` writes it)`, async () => {
    assert.equal(
      await readFile(new URL(`docs/openapi/${file}`, projectFolder), 'utf8'),
      await formatDocument(document),
    );
  });

  test(`docs/openapi/${file} is a valid OpenAPI 3.1 document, and all of its references can be resolved`, async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone({ ...document }));
    assert.ok(valid, JSON.stringify(errors));
    assert.equal(validator.version, '3.1');
    const resolved = JSON.stringify(validator.resolveRefs());
    assert.ok(!resolved.includes('"$ref":'));
  });
}

test('the validator that these tests use refuses an invalid document', async () => {
  const [, document] = documents[0] ?? [];
  const { valid } = await new Validator().validate({ ...document, paths: { checkout: { fetch: {} } } });
  assert.equal(valid, false);
});

test('the documents have every operation of the service and every call of the checkout API', () => {
  const listPaths = (document: Json): string[] =>
    Object.keys(z.object({ paths: z.looseObject({}) }).parse(document).paths);
  assert.deepEqual(listPaths(invoiceServiceDocument(version)), operations.map(operationPath));
  assert.deepEqual(listPaths(checkoutDocument(version)), [
    ...Object.values(calls).map(({ path }) => path),
    '/hook/{order}/{secret}',
  ]);
});

test('the document of the checkout API has HEAD without bodies, 405 with Allow, and the pattern of an Idempotency-Key', () => {
  const operation = z.object({
    responses: z.record(z.string(), z.looseObject({ headers: z.looseObject({}).optional() })),
  });
  const key = z.object({
    'Idempotency-Key': z.object({ schema: z.object({ pattern: z.string(), maxLength: z.number() }) }),
  });
  const document = z
    .object({
      paths: z.record(z.string(), z.record(z.string(), operation)),
      components: z.object({ parameters: key }),
    })
    .parse(checkoutDocument(version));
  for (const [path, methods] of Object.entries(document.paths)) {
    assert.deepEqual(Object.keys(methods), path === '/{checkout}' ? ['get', 'head'] : ['post'], path);
    const { responses } = methods['get'] ?? methods['post'] ?? assert.fail(path);
    assert.deepEqual(Object.keys(responses['405']?.headers ?? {}), ['Allow'], path);
  }
  for (const response of Object.values(document.paths['/{checkout}']?.['head']?.responses ?? {}))
    assert.equal('content' in response, false);
  const { pattern, maxLength } = document.components.parameters['Idempotency-Key'].schema;
  assert.deepEqual(
    [new RegExp(pattern).test('order-1:a'), new RegExp(pattern).test('a b'), maxLength],
    [true, false, 200],
  );
});

test('the document of the checkout API has as parameters the headers of browsers that decide whether a write is accepted', () => {
  const operation = z.object({ parameters: z.array(z.object({ $ref: z.string() })) });
  const { paths, components } = z
    .object({
      paths: z.record(z.string(), z.record(z.string(), operation)),
      components: z.object({
        parameters: z.record(
          z.string(),
          z.looseObject({ name: z.string(), in: z.string(), required: z.boolean().optional() }),
        ),
      }),
    })
    .parse(checkoutDocument(version));
  const listOptionalHeaders = (path: string, method: string): readonly string[] =>
    (paths[path]?.[method]?.parameters ?? [])
      .map(({ $ref }) => components.parameters[$ref.split('/').at(-1) ?? ''])
      .filter((parameter) => parameter?.in === 'header' && parameter.required !== true)
      .map((parameter) => parameter?.name ?? '');
  assert.deepEqual(listOptionalHeaders('/{checkout}', 'get'), ['If-None-Match', 'Prefer', 'Origin']);
  assert.deepEqual(listOptionalHeaders('/{checkout}/invoice', 'post'), ['Origin', 'Sec-Fetch-Site']);
});

test('each problem code is in a call with the HTTP status of the code', () => {
  const responses = Object.values(calls).flatMap(({ answers }) => [...answers]);
  for (const code of problemCodes) {
    const statuses = responses.filter(({ codes }) => codes.some((name) => name === code)).map(({ status }) => status);
    assert.ok(statuses.includes(statusOfProblem(code)), code);
  }
});

test('a note on a field that does not exist is an error', () => {
  const thing = z.object({ name: z.string() }).meta({ id: 'Thing' });
  assert.throws(() => createComponents({ thing }, { 'Thing.nam': {} }), /notes on what is not there: Thing\.nam/);
});

const field = z.looseObject({
  default: z.unknown().optional(),
  format: z.string().optional(),
  $ref: z.string().optional(),
});
const component = z.looseObject({
  required: z.array(z.string()).default([]),
  properties: z.record(z.string(), field.extend({ properties: z.record(z.string(), field).optional() })),
});
const { components, paths } = z
  .object({
    components: z.object({ schemas: z.looseObject({}) }),
    paths: z.record(z.string(), z.object({ post: z.object({ responses: z.looseObject({}) }) })),
  })
  .parse(invoiceServiceDocument(version));
const parseComponent = (name: string) => component.parse(components.schemas[name]);

test('the document of the service requires the members that are present according to its specification', () => {
  const required: Readonly<Record<string, readonly string[]>> = {
    CreatedInvoice: ['id', 'user_id', 'external_id', 'payment_url', 'amount', 'expires_at'],
    FetchedInvoice: ['id', 'merchant_id', 'payment_url', 'amount', 'status', 'created_at', 'expires_at'],
    FetchedBank: ['id', 'code'],
    Bank: ['id', 'code', 'name'],
    PaymentOption: ['id', 'code', 'type', 'name', 'available', 'limits', 'banks'],
    BankOption: ['code', 'name', 'available', 'limits'],
    Limits: ['min_amount', 'max_amount'],
  };
  for (const [name, members] of Object.entries(required)) {
    assert.deepEqual(parseComponent(name).required, members, name);
    for (const member of members) assert.equal(parseComponent(name).properties[member]?.default, undefined, member);
  }
});

test('the document of the service has the default of qr.timeout, the UUID of a bank, and no name in the bank of a fetched invoice', () => {
  assert.equal(parseComponent('CreateInvoiceRequest').properties['qr']?.properties?.['timeout']?.default, '4s');
  assert.equal(parseComponent('Bank').properties['id']?.format, 'uuid');
  assert.equal(parseComponent('FetchedInvoice').properties['bank']?.$ref, '#/components/schemas/FetchedBank');
  assert.deepEqual(Object.keys(parseComponent('FetchedBank').properties), ['id', 'code']);
});

test('the document of the service has the HTTP statuses that the sandbox sends', () => {
  const statuses = ['400', '401', '413', '415', '500'];
  for (const [path, { post }] of Object.entries(paths)) {
    const isCreate = path.endsWith('/CreateInvoice');
    const expected = isCreate ? ['200', ...statuses, '409', '503'] : ['200', ...statuses];
    assert.deepEqual(Object.keys(post.responses).sort(), expected.sort(), path);
  }
});
