import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { z } from 'zod';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { pack } from './clean-machine.ts';

const folder = temporaryFolder();
let tarball: Awaited<ReturnType<typeof pack>>;
before(async () => {
  tarball = await pack(folder);
});

const readJson = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'));

/** Every file of the package is of one of these kinds, and the package has a file of each kind. */
const kinds = [
  /^(package\.json|README\.md)$/,
  /^LICENSE$/,
  /^(CHANGELOG|SECURITY)\.md$/,
  /^llms\.txt$/,
  /^docs\/(ru\/)?[\w-]+\.md$/,
  /^docs\/openapi\/[\w-]+\.json$/,
  /^docs\/pictures\/[\w-]+\.webp$/,
  /^docs\/schema\/(?:postgres|sqlite)\.sql$/,
  /^dist\/custom-elements\.json$/,
  /^dist\/editor\/(vscode\.(html|css)-custom-data|web-types)\.json$/,
  /^dist\/types\/(react|vue|svelte)\.(js|d\.ts)$/,
  /^dist\/bin\/(conformance|sandbox|server)\.js$/,
  /^dist\/((cdn|operator)\/)?licenses\.md$/,
  /^dist\/cdn\/pay-invoice(\.(en|kk|qr-encoder|payment-screens|rarely-needed)-[\w-]{8})?\.js$/,
  /^dist\/operator\/operator-page\.js$/,
  /^dist\/cdn\/(integrity\.json|snippet\.html)$/,
  /^dist\/lib\/(pay-invoice|element|dialog|headless|checkout-schemas|server|sqlite|postgres|sandbox|standalone|testing|conformance|locales(\/(en|ru|kk))?)\.(js|d\.ts)$/,
  /^examples\/(README\.md|webhook-vectors\.json|(curl|go|php|python|prometheus)\/[\w.-]+)$/,
  /^server-example\/(catalogue|main|shop)\.ts$/,
  /^dist\/lib\/chunks\/[\w.-]+\.(js|d\.ts)$/,
];

/** A text that only the library has: where a file of the package has it, the library is bundled. */
const marks: Readonly<Record<string, string>> = {
  '@lit/reactive-element': 'reactiveElementVersions',
  dijkstrajs: 'Could not find a path from',
  hono: 'Context is not finalized',
  'lit-element': 'litElementVersions',
  'lit-html': 'litHtmlVersions',
  qrcode: 'The amount of data is too big',
};

describe('the packed package', { timeout: 300_000 }, () => {
  it('contains files of the listed kinds, and no others', () => {
    const paths = tarball.files.map(({ path }) => path);
    assert.deepEqual(
      paths.filter((path) => !kinds.some((kind) => kind.test(path))),
      [],
    );
    assert.deepEqual(
      kinds.filter((kind) => !paths.some((path) => kind.test(path))),
      [],
    );
    assert.ok(tarball.size < 690_000, `${tarball.size} bytes packed`);
  });

  it('has each file to which a link of its documents leads', async () => {
    const paths = new Set(tarball.files.map(({ path }) => path));
    const links: string[] = [];
    for (const path of [...paths].filter((one) => one.endsWith('.md') || one === 'llms.txt'))
      for (const [, link = ''] of (await readFile(path, 'utf8'))
        .replaceAll(/^```[^]*?^```/gm, '')
        .matchAll(/\]\(([^)\s#]+)/g))
        if (!/^(?:https?|mailto):/.test(link)) links.push(join(path, '..', link).replace(/\/$/, ''));
    const isPacked = (link: string): boolean =>
      paths.has(link) || [...paths].some((path) => path.startsWith(`${link}/`));
    assert.deepEqual(
      links.filter((link) => !isPacked(link)),
      [],
    );
  });

  it('marks the files that register the tag as having side effects, so that no bundler drops them', async () => {
    const { sideEffects } = z.object({ sideEffects: z.array(z.string()) }).parse(await readJson('package.json'));
    const patterns = sideEffects.map(
      (glob) => new RegExp(`^${glob.slice(2).replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`),
    );
    const registeringFiles: string[] = [];
    for (const { path } of tarball.files)
      if (path.endsWith('.js') && (await readFile(path, 'utf8')).includes('customElements.define('))
        registeringFiles.push(path);
    assert.notEqual(registeringFiles.length, 0);
    assert.deepEqual(
      registeringFiles.filter((path) => !patterns.some((glob) => glob.test(path))),
      [],
    );
  });

  it('imports only the library lit in its entries for pages', async () => {
    const files = new Set<string>();
    const libraries = new Set<string>();
    const visitImports = async (path: string): Promise<void> => {
      if (files.has(path)) return;
      files.add(path);
      for (const [, name = ''] of (await readFile(path, 'utf8')).matchAll(
        /\b(?:from|import)\s*(?:\(\s*)?"([\w@./-]+)"/g,
      )) {
        if (name.startsWith('.')) await visitImports(join(path, '..', name));
        else libraries.add(name.split('/')[0] ?? '');
      }
    };
    for (const entry of [
      'pay-invoice',
      'element',
      'dialog',
      'headless',
      'locales',
      'locales/en',
      'locales/kk',
      'locales/ru',
    ])
      await visitImports(`dist/lib/${entry}.js`);
    assert.deepEqual([...libraries].sort(), ['lit']);
  });

  it('has neither zod nor a database in the standalone file and its chunks, and refers to no file that is not there', async () => {
    for (const { path } of tarball.files.filter((file) => /^dist\/cdn\/.*\.js$/.test(file.path)))
      assert.doesNotMatch(await readFile(path, 'utf8'), /ZodError|kysely|sqlite|sourceMappingURL/i, path);
  });

  for (const [folder, scripts] of [
    ['dist', /^dist\/(lib|bin)\/.*\.js$/],
    ['dist/cdn', /^dist\/cdn\/.*\.js$/],
    ['dist/operator', /^dist\/operator\/.*\.js$/],
  ] as const)
    it(`has in ${folder} the licences of the libraries that are bundled there, each with its whole text`, async () => {
      const paths = tarball.files.map(({ path }) => path).filter((path) => scripts.test(path));
      const text = (await Promise.all(paths.map((path) => readFile(path, 'utf8')))).join('\n');
      const bundled = Object.keys(marks).filter((name) => text.includes(marks[name] ?? ''));
      const licences = await readFile(join(folder, 'licenses.md'), 'utf8');
      // The package lit has no code of its own in a bundle: it only exports again what the other three have.
      const listed = [...licences.matchAll(/^## (\S+) - /gm)].map(([, name = '']) => name);
      assert.deepEqual(
        listed.filter((name) => name !== 'lit'),
        bundled,
      );
      for (const name of listed) {
        const file = (await readdir(join('node_modules', name))).find((entry) => /^licen[cs]e/i.test(entry)) ?? '';
        const licence = await readFile(join('node_modules', name, file), 'utf8');
        assert.ok(licences.includes(licence.trim()), name);
      }
    });

  it('lists the integrity hash of each file for a CDN, and each has the hint to compile it at once', async () => {
    const integrity = z.record(z.string(), z.string()).parse(await readJson('dist/cdn/integrity.json'));
    const scripts = tarball.files.filter(({ path }) => /^dist\/cdn\/pay-invoice[\w.-]*\.js$/.test(path));
    assert.equal(Object.keys(integrity).length, scripts.length);
    for (const [name, hash] of Object.entries(integrity)) {
      const bytes = await readFile(join('dist/cdn', name));
      assert.equal(hash, `sha384-${createHash('sha384').update(bytes).digest('base64')}`, name);
      assert.ok(bytes.toString().startsWith('//# allFunctionsCalledOnLoad\n'), name);
      for (const [, chunk = ''] of bytes.toString().matchAll(/import\(["`]\.\/([^"`]+)["`]\)/g))
        assert.ok(chunk in integrity, chunk);
    }
  });
});
