// Writes docs/openapi/*.json: OpenAPI 3.1 of the checkout API, of the invoice service and of the standalone server, from the
// schemas that parse.
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { checkoutDocument } from './openapi/checkout.ts';
import { formatDocument } from './openapi/document.ts';
import { invoiceServiceDocument } from './openapi/invoice-service.ts';
import { serverDocument } from './openapi/server.ts';

const projectFolder = new URL('../../', import.meta.url);
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('package.json', projectFolder), 'utf8')));

const documents = {
  checkout: checkoutDocument(version),
  'invoice-service': invoiceServiceDocument(version),
  server: serverDocument(version),
};
for (const [name, document] of Object.entries(documents))
  writeFileSync(new URL(`docs/openapi/${name}.json`, projectFolder), await formatDocument(document));
