import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { z } from 'zod';
import { checkoutDocument } from '../../scripts/generate/openapi/checkout.ts';
import { formatDocument, type Json } from '../../scripts/generate/openapi/document.ts';
import { invoiceServiceDocument } from '../../scripts/generate/openapi/invoice-service.ts';
import { serverDocument } from '../../scripts/generate/openapi/server.ts';

const projectFolder = new URL('../../', import.meta.url);
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(await readFile(new URL('package.json', projectFolder), 'utf8')));

const documents: readonly (readonly [file: string, document: Json])[] = [
  ['checkout.json', checkoutDocument(version)],
  ['invoice-service.json', invoiceServiceDocument(version)],
  ['server.json', serverDocument(version)],
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

test('docs/openapi/server.json describes each parameter, and says that the checkout API is not on the port of the admin API', () => {
  const operation = z.looseObject({ parameters: z.array(z.looseObject({ name: z.string() })).optional() });
  const { paths } = z
    .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
    .parse(serverDocument(version));
  for (const [path, { servers, ...operations }] of Object.entries(paths)) {
    assert.equal(servers !== undefined, path.startsWith('/checkout/'), path);
    if (!path.startsWith('/admin/')) continue;
    for (const [method, one] of Object.entries(operations))
      for (const parameter of operation.parse(one).parameters ?? [])
        assert.equal(typeof parameter['description'], 'string', `${method} ${path}: ${parameter.name}`);
  }
});
