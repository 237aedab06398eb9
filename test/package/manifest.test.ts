import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { documentsWithTables, withTables } from '../../scripts/generate/element-tables.ts';
import { reactTypes, svelteTypes, vueTypes } from '../../scripts/generate/manifest/framework-types.ts';
import { readContract, settableFields } from '../../scripts/generate/manifest/read-manifest.ts';

const readJson = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'));
const contract = readContract(await readJson('dist/custom-elements.json'));
const source = await readFile('src/view/pay-invoice-element.ts', 'utf8');
const events = await readFile('src/view/pay-invoice.events.ts', 'utf8');
const sortedNames = (items: readonly { readonly name: string }[]): readonly string[] =>
  items.map(({ name }) => name).sort();
const namesInJsdoc = (tag: string): readonly string[] =>
  [...source.matchAll(new RegExp(`^ \\* @${tag} (?:\\{\\w+\\} )?\\[?([\\w-]+)`, 'gm'))]
    .map(([, name = '']) => name)
    .sort();

describe('the manifest of the build', () => {
  it('has each event, slot, part and custom property of the JSDoc', () => {
    assert.deepEqual(sortedNames(contract.events), namesInJsdoc('fires'));
    assert.deepEqual(sortedNames(contract.slots), namesInJsdoc('slot'));
    assert.deepEqual(sortedNames(contract.cssParts), namesInJsdoc('csspart'));
    assert.deepEqual(sortedNames(contract.cssProperties), namesInJsdoc('cssprop'));
    for (const list of ['fires', 'slot', 'csspart', 'cssprop']) assert.notEqual(namesInJsdoc(list).length, 0);
  });

  it('has the events that are typed, each by the class that it is', () => {
    const typedEvents = [...events.matchAll(/^ {2,4}'([\w-]+)': (\w+);$/gm)].map(
      ([, name, type]) => `${name ?? ''} ${type ?? ''}`,
    );
    assert.deepEqual(contract.events.map(({ name, type }) => `${name} ${type.text}`).sort(), typedEvents.sort());
  });

  it('has the properties that the element declares, and no private one', () => {
    const [, declaredProperties = ''] =
      /static override readonly properties = \{([\s\S]*?)\n {2}\};/.exec(source) ?? [];
    const fields = [...declaredProperties.matchAll(/^ {4}(\w+): /gm)].map(([, name]) => name ?? '').sort();
    assert.deepEqual(sortedNames(settableFields(contract)), fields);
    assert.deepEqual(sortedNames(contract.members.filter(({ kind }) => kind === 'method')), [
      'continue',
      'focus',
      'refresh',
    ]);
  });

  it('is what the framework types were generated from', async () => {
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

  it('is rejected when an entry has no description', () => {
    const module = { declarations: [{ kind: 'class', name: 'X', tagName: 'x-y', slots: [{ name: 'header' }] }] };
    assert.throws(() => readContract({ modules: [module] }), /^Error: header has no description/);
  });
});
