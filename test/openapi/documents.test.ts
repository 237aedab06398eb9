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

test('the documents have every operation of the service and every call of the checkout API', () => {
  const listPaths = (document: Json): string[] =>
    Object.keys(z.object({ paths: z.looseObject({}) }).parse(document).paths);
  assert.deepEqual(listPaths(invoiceServiceDocument(version)), operations.map(operationPath));
  assert.deepEqual(listPaths(checkoutDocument(version)), [
    ...Object.values(calls).map(({ path }) => path),
    '/hook/{order}/{secret}',
  ]);
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
