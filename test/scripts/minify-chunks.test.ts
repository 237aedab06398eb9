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

/** What pages and merchants can see of the element. */
const publicFiles = [
  'core/checkout-state.ts',
  'core/checkout-error.ts',
  'i18n/messages-type.ts',
  'view/pay-invoice-options.ts',
  'view/pay-invoice.events.ts',
  'view/payment-part.events.ts',
];

test('every name that the build shortens is the name of a property in the sources', () => {
  const missing = privateNames.filter((name) => !sources.some(({ code }) => new RegExp(`\\b${name}\\b`).test(code)));
  assert.deepEqual(missing, []);
});

test('no name that the build shortens is in a string', () => {
  const inString = new RegExp(`(['"])(?:${privateNames.join('|')})\\1`);
  const found = sources.filter(({ code }) => inString.test(code)).map(({ file }) => file);
  assert.deepEqual(found, []);
});

test('no name that the build shortens is public', () => {
  const anyName = new RegExp(`\\b(?:${privateNames.join('|')})\\b`);
  const isPublic = (file: string): boolean => publicFiles.includes(file) || /^(?:protocol|locales)\//.test(file);
  const visible = sources.filter(({ file }) => isPublic(file));
  for (const file of publicFiles)
    assert.ok(
      visible.some((one) => one.file === file),
      `${file} does not exist`,
    );
  assert.deepEqual(
    visible.filter(({ code }) => anyName.test(code)).map(({ file }) => file),
    [],
  );
});
