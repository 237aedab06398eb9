import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { documentsWithTables, withTables } from '../../scripts/generate/element-tables.ts';
import { vscodeCss, vscodeHtml, webTypes } from '../../scripts/generate/manifest/editor-data.ts';
import { reactTypes, svelteTypes, vueTypes } from '../../scripts/generate/manifest/framework-types.ts';
import { readContract, settable } from '../../scripts/generate/manifest/read.ts';

const json = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'));
const contract = readContract(await json('dist/custom-elements.json'));
const { version } = z.object({ version: z.string() }).parse(await json('package.json'));
const source = await readFile('src/view/pay-invoice-element.ts', 'utf8');
const events = await readFile('src/view/pay-invoice.events.ts', 'utf8');
const names = (items: readonly { readonly name: string }[]): readonly string[] => items.map(({ name }) => name).sort();
const told = (tag: string): readonly string[] =>
  [...source.matchAll(new RegExp(`^ \\* @${tag} (?:\\{\\w+\\} )?\\[?([\\w-]+)`, 'gm'))]
    .map(([, name = '']) => name)
    .sort();

describe('the manifest of the build', () => {
  it('has each event, slot, part and property of the JSDoc, with a word on it', () => {
    assert.deepEqual(names(contract.events), told('fires'));
    assert.deepEqual(names(contract.slots), told('slot'));
    assert.deepEqual(names(contract.cssParts), told('csspart'));
    assert.deepEqual(names(contract.cssProperties), told('cssprop'));
    for (const list of ['fires', 'slot', 'csspart', 'cssprop']) assert.notEqual(told(list).length, 0);
  });

  it('has the events that are typed, each by the class that it is', () => {
    const typed = [...events.matchAll(/^ {4}'([\w-]+)': (\w+);$/gm)].map(
      ([, name, type]) => `${name ?? ''} ${type ?? ''}`,
    );
    assert.deepEqual(contract.events.map(({ name, type }) => `${name} ${type.text}`).sort(), typed.sort());
  });

  it('has the properties that the element declares, and no private one', () => {
    const [, declared = ''] = /static override readonly properties = \{([\s\S]*?)\n {2}\};/.exec(source) ?? [];
    const fields = [...declared.matchAll(/^ {4}(\w+): /gm)].map(([, name]) => name ?? '').sort();
    assert.deepEqual(names(settable(contract)), fields);
    assert.deepEqual(names(contract.members.filter(({ kind }) => kind === 'method')), ['focus', 'refresh']);
  });

  it('is what the editors and the frameworks were given', async () => {
    for (const [file, content] of [
      ['vscode.html-custom-data', vscodeHtml(contract)],
      ['vscode.css-custom-data', vscodeCss(contract)],
      ['web-types', webTypes(contract, version)],
    ] as const)
      assert.equal(await readFile(`dist/editor/${file}.json`, 'utf8'), `${JSON.stringify(content, null, 2)}\n`);
    for (const [file, content] of [
      ['react', reactTypes(contract)],
      ['vue', vueTypes(contract)],
      ['svelte', svelteTypes(contract)],
    ] as const)
      assert.equal(await readFile(`dist/types/${file}.d.ts`, 'utf8'), content);
  });

  for (const name of documentsWithTables)
    it(`is what the tables of ${name} were generated from: \`npm run generate:readme\``, async () => {
      const text = await readFile(name, 'utf8');
      assert.equal(text, await withTables(text, contract));
    });

  it('is not made of what has no word on it', () => {
    const module = { declarations: [{ kind: 'class', name: 'X', tagName: 'x-y', slots: [{ name: 'header' }] }] };
    assert.throws(() => readContract({ modules: [module] }), /^Error: header has no description/);
  });
});
