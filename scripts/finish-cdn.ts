// After the builds of `dist/cdn`: puts the standalone file where a CDN's short address finds it, and tells the integrity of
// each file. A tag's `integrity` covers its own file alone; `integrity.json` has the hashes of the lazy chunks too, for an
// import map (`<script type="importmap">{ "integrity": { "<address of a chunk>": "sha384-…" } }</script>`).
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { withoutMapLink } from './without-map-link.ts';

const folder = 'dist/cdn';

// The same file with another way to its chunks; columns of the source map would be wrong in it.
const standalone = readFileSync(`${folder}/pay-invoice.js`, 'utf8').replaceAll('import("./', 'import("./cdn/');
writeFileSync('dist/pay-invoice.js', withoutMapLink(standalone));

const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
const integrity = Object.fromEntries(
  ['../pay-invoice.js', ...files].map((name) => {
    const hash = createHash('sha384').update(readFileSync(`${folder}/${name}`));
    return [name, `sha384-${hash.digest('base64')}`];
  }),
);
writeFileSync(`${folder}/integrity.json`, `${JSON.stringify(integrity, null, 2)}\n`);
for (const [name, hash] of Object.entries(integrity)) console.log(`${hash}  ${name}`);
