// The last step of `npm run build:cdn`: writes dist/cdn/integrity.json, the hash of each script there. A tag's `integrity`
// covers its own file only; the hashes of the lazy chunks go into an import map
// (`<script type="importmap">{ "integrity": { "<address of a chunk>": "sha384-…" } }</script>`).
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const folder = 'dist/cdn';
const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
const integrity = Object.fromEntries(
  files.map((name) => {
    const hash = createHash('sha384').update(readFileSync(`${folder}/${name}`));
    return [name, `sha384-${hash.digest('base64')}`];
  }),
);
writeFileSync(`${folder}/integrity.json`, `${JSON.stringify(integrity, null, 2)}\n`);
for (const [name, hash] of Object.entries(integrity)) console.log(`${hash}  ${name}`);
