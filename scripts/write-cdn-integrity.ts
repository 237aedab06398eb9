// The last step of `npm run build:cdn`: writes dist/cdn/integrity.json, the hash of each script there, and dist/cdn/snippet.html,
// the tags of a page that requests the checkout at once. A tag's `integrity` covers its own file only; an import map covers the lazy
// chunks.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const folder = 'dist/cdn';
const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
const hashes = new Map(
  files.map((name) => {
    const hash = createHash('sha384').update(readFileSync(`${folder}/${name}`));
    return [name, `sha384-${hash.digest('base64')}`];
  }),
);
writeFileSync(`${folder}/integrity.json`, `${JSON.stringify(Object.fromEntries(hashes), null, 2)}\n`);
for (const [name, hash] of hashes) console.log(`${hash}  ${name}`);

const entry = 'pay-invoice.js';
const chunks = files.filter((name) => name !== entry);
const hashOf = (name: string): string => hashes.get(name) ?? '';
const chunkHashes = Object.fromEntries(chunks.map((name) => [`/${name}`, hashOf(name)]));

const importMap = `
${JSON.stringify({ integrity: chunkHashes }, null, 2)}
`;
const importMapHash = createHash('sha256').update(importMap).digest('base64');

const snippet = `<!-- For the head. The files are expected at the root of the site; CHECKOUT is the checkout's capability. -->
<!-- The source of the import map for script-src of a Content-Security-Policy: 'sha256-${importMapHash}' -->
<script type="importmap">${importMap}</script>
<script type="module" src="/${entry}" integrity="${hashOf(entry)}"></script>
<link rel="preload" as="fetch" crossorigin href="/checkout/CHECKOUT" />

<!-- For the body. -->
<pay-invoice endpoint="/checkout" checkout="CHECKOUT"></pay-invoice>
`;
writeFileSync(`${folder}/snippet.html`, snippet);
