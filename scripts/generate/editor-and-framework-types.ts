// The last step of the build: writes the custom elements manifest, the editor data and the framework types, from the
// element's JSDoc.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getWebTypesData } from 'custom-element-jet-brains-integration';
import { getVsCodeCssCustomData, getVsCodeHtmlCustomData } from 'custom-element-vs-code-integration';
import { z } from 'zod';
import { reactComponent, reactTypes, svelteTypes, vueTypes } from './manifest/framework-types.ts';
import { readContract } from './manifest/read-manifest.ts';

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const writeOutput = (path: string, content: string | object): void =>
  writeFileSync(path, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);

const source = 'src/view/pay-invoice-element.ts';
const globArgs = [source, 'src/pay-invoice.ts'].flatMap((file) => ['--globs', file]);
const { status, stdout, stderr } = spawnSync(
  'npx',
  ['cem', 'analyze', '--litelement', ...globArgs, '--outdir', 'dist'],
  {
    encoding: 'utf8',
  },
);
if (status !== 0) throw new Error(`${stdout}${stderr}`);

const contract = readContract(readJson('dist/custom-elements.json'));

// The published manifest names the package's entries instead of the source files.
const entryFile = 'dist/lib/element.js';
const declarationReference = { name: contract.name, module: entryFile };
// Its type is the generators' own: z.custom() checks nothing, because readContract() has.
const publishedManifest = z.custom<Parameters<typeof getWebTypesData>[0]>().parse({
  schemaVersion: '1.0.0',
  modules: [
    {
      kind: 'javascript-module',
      path: entryFile,
      declarations: [contract],
      exports: [{ kind: 'js', name: contract.name, declaration: declarationReference }],
    },
    {
      kind: 'javascript-module',
      path: 'dist/lib/pay-invoice.js',
      declarations: [],
      exports: [{ kind: 'custom-element-definition', name: contract.tagName, declaration: declarationReference }],
    },
  ],
});
writeOutput('dist/custom-elements.json', publishedManifest);

mkdirSync('dist/editor', { recursive: true });
writeOutput('dist/editor/vscode.html-custom-data.json', getVsCodeHtmlCustomData(publishedManifest, {}));
writeOutput('dist/editor/vscode.css-custom-data.json', getVsCodeCssCustomData(publishedManifest, {}));
writeOutput('dist/editor/web-types.json', getWebTypesData(publishedManifest, {}));

mkdirSync('dist/types', { recursive: true });
for (const [name, types] of Object.entries({ react: reactTypes, vue: vueTypes, svelte: svelteTypes }))
  writeOutput(`dist/types/${name}.d.ts`, types(contract));
writeOutput('dist/types/react.js', reactComponent(contract));
for (const name of ['vue', 'svelte']) writeOutput(`dist/types/${name}.js`, 'export {};\n');
