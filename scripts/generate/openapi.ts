// Writes docs/openapi/*.json: OpenAPI 3.1 of the checkout API and of the invoice service, from the schemas of src/checkout-api
// and src/service-api.
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { checkoutDocument } from './openapi/checkout.ts';
import { formatDocument } from './openapi/document.ts';
import { invoiceServiceDocument } from './openapi/invoice-service.ts';

const projectFolder = new URL('../../', import.meta.url);
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('package.json', projectFolder), 'utf8')));

writeFileSync(new URL('docs/openapi/checkout.json', projectFolder), await formatDocument(checkoutDocument(version)));
writeFileSync(
  new URL('docs/openapi/invoice-service.json', projectFolder),
  await formatDocument(invoiceServiceDocument(version)),
);
