import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import { CleanMachine } from './clean-machine.ts';

const manifest = z.object({ exports: z.record(z.string(), z.unknown()) });
const { exports } = manifest.parse(JSON.parse(await readFile('package.json', 'utf8')));

/** The package's entries that are code of src, as `.` or `./server`. */
const entries = Object.keys(exports)
  .flatMap((entry) => (entry === './locales/*' ? ['./locales/en', './locales/kk', './locales/ru'] : [entry]))
  .filter((entry) => !/\/(react|vue|svelte|cdn\/\*|editor\/\*|[\w-]+\.json)$/.test(entry));
/** The file of src, without its ending. */
const fileOf = (entry: string): string =>
  ({ '.': 'pay-invoice', './core': 'headless', './checkout-api': 'checkout-schemas' })[entry] ?? entry.slice(2);
const specifier = (entry: string): string => `pay-invoice${entry.slice(1)}`;
/** The entries that a page can import. A page has no types of Node. */
const pageEntries = entries.filter(
  (entry) => !/server|sqlite|postgres|sandbox|standalone|testing|conformance/.test(entry),
);

/** The entries with types for the compilers of frameworks. */
const frameworkEntries = ['./react', './vue', './svelte'];

let machine: CleanMachine;
before(async () => {
  const backend = ['@types/node@22.18.0', 'pg@8.23.1'];
  const frameworks = ['@types/react@19.3.0', 'vue@3.5.45', 'svelte@5'];
  machine = await CleanMachine.withPackage(...backend, ...frameworks);
});
after(() => machine.remove());

const importStatements = (names: readonly string[]): string =>
  names.map((entry, index) => `import * as m${index} from '${specifier(entry)}';\nvoid m${index};\n`).join('');

/** The events bubble, so a page may listen on the document; it compiles only if their types have come with the package. */
const listener = ['document', 'window', "document.createElement('pay-invoice')"]
  .map((target) => `${target}.addEventListener('pay-invoice-paid', (event) => event.checkout.id satisfies string);\n`)
  .join('');

describe('a project that has installed the package', { timeout: 300_000 }, () => {
  it('imports each entry in Node, with all that its source exports', async () => {
    const imports = entries.map((entry) => `import('${specifier(entry)}')`).join(', ');
    await machine.write({
      'names.js': `console.log(JSON.stringify((await Promise.all([${imports}])).map((one) => Object.keys(one))));\n`,
    });
    const names = z.array(z.array(z.string()).min(1)).parse(JSON.parse(await machine.run('node', 'names.js')));
    for (const [index, entry] of entries.entries()) {
      const file = fileOf(entry);
      const source = (await import(`../../src/${file}.ts`)) as object;
      assert.deepEqual(names[index]?.sort(), Object.keys(source).sort(), entry);
    }
  });

  it('finds the manifest and the hashes of the files for a CDN', async () => {
    for (const path of ['custom-elements.json', 'cdn/integrity.json', 'editor/web-types.json', 'package.json']) {
      const script = `console.log(JSON.stringify(require('pay-invoice/${path}')))`;
      assert.equal(typeof JSON.parse(await machine.run('node', '-e', script)), 'object');
    }
  });

  for (const [importer, module, moduleResolution, names, types] of [
    ['a page', 'esnext', 'bundler', pageEntries, []],
    ['a page in a framework', 'nodenext', 'nodenext', [...pageEntries, ...frameworkEntries], []],
    ['a backend without the types of its drivers', 'nodenext', 'nodenext', entries, ['node']],
    ['a backend without the types of its drivers', 'esnext', 'bundler', entries, ['node']],
  ] as const)
    it(`has types for ${importer} that pass the compiler's check of libraries with the module resolution ${moduleResolution}`, async () => {
      await machine.write({
        'all.ts': importStatements(names) + listener,
        'tsconfig.json': JSON.stringify({
          compilerOptions: { target: 'es2022', module, moduleResolution, types, strict: true, noEmit: true },
          files: ['all.ts'],
        }),
      });
      assert.equal(existsSync(join(machine.folder, 'node_modules/@types/pg')), false);
      await machine.run('node', resolve('node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json');
    });
});
