// Writes docs/openapi/*.json, OpenAPI 3.1 of the checkout API and of the invoice service, from the schemas of
// src/protocol and src/contract. `--check` only tells whether the files are current.
import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { checkoutDocument } from './openapi/checkout.ts';
import { textOf } from './openapi/document.ts';
import { invoiceServiceDocument } from './openapi/invoice-service.ts';

const root = new URL('../', import.meta.url);
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(await readFile(new URL('package.json', root), 'utf8')));

const documents = [
  { file: 'docs/openapi/checkout.json', document: checkoutDocument(version) },
  { file: 'docs/openapi/invoice-service.json', document: invoiceServiceDocument(version) },
];

for (const { file, document } of documents) {
  const text = await textOf(document);
  const target = new URL(file, root);
  if (!process.argv.includes('--check')) {
    await writeFile(target, text);
    continue;
  }
  const current = await readFile(target, 'utf8').catch(() => '');
  if (current === text) continue;
  console.error(`${file} is not current: run \`npx tsx scripts/generate-openapi.ts\``);
  process.exitCode = 1;
}
