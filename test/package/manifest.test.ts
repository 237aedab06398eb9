import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { documentsWithTables, withTables } from '../../scripts/generate/element-tables.ts';
import { reactTypes, svelteTypes, vueTypes } from '../../scripts/generate/manifest/framework-types.ts';
import { readContract, settableFields } from '../../scripts/generate/manifest/read-manifest.ts';

const readJson = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'));
const contract = readContract(await readJson('dist/custom-elements.json'));
const source = await readFile('src/view/pay-invoice-element.ts', 'utf8');
const eventFiles = ['src/view/pay-invoice.events.ts'];
const events = (await Promise.all(eventFiles.map((path) => readFile(path, 'utf8')))).join('\n');
const sortedNames = (items: readonly { readonly name: string }[]): readonly string[] =>
  items.map(({ name }) => name).sort();
const namesInJsdoc = (tag: string): readonly string[] =>
  [...source.matchAll(new RegExp(`^ \\* @${tag} (?:\\{\\w+\\} )?\\[?([\\w-]+)`, 'gm'))]
    .map(([, name = '']) => name)
    .sort();

const packageFields = z.object({ name: z.string(), version: z.string() });
/** Entries of the editor data: each has a name and a description; the type of an event is its class. */
const entries = z.array(z.object({ name: z.string(), description: z.string().min(1), type: z.string().optional() }));
const vscodeHtml = z.object({
  tags: z.array(
    z.object({
      name: z.string(),
      attributes: z.array(
        z.object({ name: z.string(), description: z.string().min(1), values: z.array(z.object({ name: z.string() })) }),
      ),
    }),
  ),
});
const vscodeCss = z.object({ properties: entries, pseudoElements: entries });
const webTypes = packageFields.extend({
  contributions: z.object({
    html: z.object({
      elements: z.array(
        z.object({
          name: z.string(),
          attributes: entries,
          slots: entries,
          js: z.object({ properties: entries, events: entries }),
        }),
      ),
    }),
    css: z.object({ properties: entries, 'pseudo-elements': entries }),
  }),
});

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

  it('is what the data for VS Code was generated from', async () => {
    const { tags } = vscodeHtml.parse(await readJson('dist/editor/vscode.html-custom-data.json'));
    assert.deepEqual(sortedNames(tags), [contract.tagName]);
    assert.deepEqual(sortedNames(tags[0]?.attributes ?? []), sortedNames(contract.attributes));
    assert.deepEqual(tags[0]?.attributes.find(({ name }) => name === 'theme')?.values, [
      { name: 'auto' },
      { name: 'light' },
      { name: 'dark' },
    ]);
    const css = vscodeCss.parse(await readJson('dist/editor/vscode.css-custom-data.json'));
    assert.deepEqual(sortedNames(css.properties), sortedNames(contract.cssProperties));
    assert.deepEqual(
      sortedNames(css.pseudoElements),
      sortedNames(contract.cssParts).map((name) => `::part(${name})`),
    );
  });

  it('is what the data for JetBrains editors was generated from', async () => {
    const { name, version, contributions } = webTypes.parse(await readJson('dist/editor/web-types.json'));
    assert.deepEqual({ name, version }, packageFields.parse(await readJson('package.json')));
    const [element] = contributions.html.elements;
    assert.equal(element?.name, contract.tagName);
    assert.deepEqual(sortedNames(element.attributes), sortedNames(contract.attributes));
    assert.deepEqual(sortedNames(element.slots), sortedNames(contract.slots));
    assert.deepEqual(
      sortedNames(element.js.properties),
      sortedNames(contract.members.filter(({ kind }) => kind === 'field')),
    );
    assert.deepEqual(
      element.js.events.map(({ name, type }) => `${name} ${type ?? ''}`),
      contract.events.map(({ name, type }) => `${name} ${type.text}`),
    );
    assert.deepEqual(sortedNames(contributions.css.properties), sortedNames(contract.cssProperties));
    assert.deepEqual(
      sortedNames(contributions.css['pseudo-elements']),
      sortedNames(contract.cssParts).map((name) => `part(${name})`),
    );
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
