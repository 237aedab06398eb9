import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { z } from 'zod';
import { documents } from './documents.ts';

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));

const scriptsOf = (text: string): readonly string[] =>
  [...text.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)].map(([, script, short]) => script ?? short ?? '');

for (const name of new Set(documents.flatMap(({ text }) => scriptsOf(text))))
  test(`\`npm run ${name}\`, which a document names, is a script of package.json`, () => {
    assert.ok(name in scripts);
  });

test('every script that a script runs exists', () => {
  for (const command of Object.values(scripts)) for (const name of scriptsOf(command)) assert.ok(name in scripts, name);
});
