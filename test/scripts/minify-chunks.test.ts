import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { privateNames } from '../../scripts/build/minify-chunks.ts';

/** The folders from which the standalone file is built. */
const folders = ['base', 'client', 'core', 'i18n', 'locales', 'protocol', 'view'];
const sources = folders.flatMap((folder) =>
  readdirSync(`src/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ file: `${folder}/${name}`, code: readFileSync(`src/${folder}/${name}`, 'utf8') })),
);

/** The files with names that pages and merchants can use. */
const publicFiles = [
  'core/public-state.ts',
  'core/checkout-error.ts',
  'i18n/messages-type.ts',
  'view/pay-invoice-options.ts',
  'view/pay-invoice.events.ts',
  'view/payment-chunk.events.ts',
];

test('every name that the build shortens is the name of a property in the sources', () => {
  const unusedNames = privateNames.filter(
    (name) => !sources.some(({ code }) => new RegExp(`\\b${name}\\b`).test(code)),
  );
  assert.deepEqual(unusedNames, []);
});

test('no name that the build shortens is in a string', () => {
  const inString = new RegExp(`(['"])(?:${privateNames.join('|')})\\1`);
  const filesWithString = sources.filter(({ code }) => inString.test(code)).map(({ file }) => file);
  assert.deepEqual(filesWithString, []);
});

test('no name that the build shortens is public', () => {
  const anyName = new RegExp(`\\b(?:${privateNames.join('|')})\\b`);
  const isPublic = (file: string): boolean => publicFiles.includes(file) || /^(?:protocol|locales)\//.test(file);
  const publicSources = sources.filter(({ file }) => isPublic(file));
  for (const file of publicFiles)
    assert.ok(
      publicSources.some((publicSource) => publicSource.file === file),
      `${file} does not exist`,
    );
  assert.deepEqual(
    publicSources.filter(({ code }) => anyName.test(code)).map(({ file }) => file),
    [],
  );
});
