// The last step of the build: writes the custom elements manifest, the editor data and the framework types, from the
// element's JSDoc.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getWebTypesData } from 'custom-element-jet-brains-integration';
import { getVsCodeCssCustomData, getVsCodeHtmlCustomData } from 'custom-element-vs-code-integration';
import { z } from 'zod';
import { reactTypes, svelteTypes, vueTypes } from './manifest/framework-types.ts';
import { readContract } from './manifest/read-manifest.ts';

const json = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const write = (path: string, content: string | object): void =>
  writeFileSync(path, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);

const source = 'src/view/pay-invoice-element.ts';
const globs = [source, 'src/pay-invoice.ts'].flatMap((file) => ['--globs', file]);
const { status, stdout, stderr } = spawnSync('npx', ['cem', 'analyze', '--litelement', ...globs, '--outdir', 'dist'], {
  encoding: 'utf8',
});
if (status !== 0) throw new Error(`${stdout}${stderr}`);

const contract = readContract(json('dist/custom-elements.json'));

// The published manifest names the package's entries instead of the source files.
const entry = 'dist/lib/element.js';
const declared = { name: contract.name, module: entry };
// Its type is the generators' own: z.custom() checks nothing, because readContract() has.
const published = z.custom<Parameters<typeof getWebTypesData>[0]>().parse({
  schemaVersion: '1.0.0',
  modules: [
    {
      kind: 'javascript-module',
      path: entry,
      declarations: [contract],
      exports: [{ kind: 'js', name: contract.name, declaration: declared }],
    },
    {
      kind: 'javascript-module',
      path: 'dist/lib/pay-invoice.js',
      declarations: [],
      exports: [{ kind: 'custom-element-definition', name: contract.tagName, declaration: declared }],
    },
  ],
});
write('dist/custom-elements.json', published);

mkdirSync('dist/editor', { recursive: true });
write('dist/editor/vscode.html-custom-data.json', getVsCodeHtmlCustomData(published, {}));
write('dist/editor/vscode.css-custom-data.json', getVsCodeCssCustomData(published, {}));
write('dist/editor/web-types.json', getWebTypesData(published, {}));

mkdirSync('dist/types', { recursive: true });
for (const [name, types] of Object.entries({ react: reactTypes, vue: vueTypes, svelte: svelteTypes })) {
  write(`dist/types/${name}.d.ts`, types(contract));
  write(`dist/types/${name}.js`, 'export {};\n');
}
