// What browsers load from us: no regular expression there, also of a library that is bundled, takes more than linear time. `npm run
// lint` has the same rules for the sources.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { ESLint } from 'eslint';
import regexp from 'eslint-plugin-regexp';
import { frameScript } from '../../src/standalone/pay-page/frame-script.ts';

const linter = new ESLint({
  overrideConfigFile: true,
  allowInlineConfig: false, // no comment in a file turns a rule off
  ignore: false,
  overrideConfig: {
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': 'error',
    },
  },
});

async function faultsIn(code: string): Promise<readonly string[]> {
  const results = await linter.lintText(code);
  return results.flatMap(({ messages }) => messages.map(({ line, column, message }) => `${line}:${column} ${message}`));
}

const folders = ['dist/cdn', 'dist/operator', 'dist/demo'];
const files = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => `${folder}/${name}`),
);

describe('no regular expression takes more than linear time in', { timeout: 300_000 }, () => {
  for (const file of files)
    it(file, async () => {
      assert.deepEqual(await faultsIn(readFileSync(file, 'utf8')), []);
    });

  it('the script within a pay page that may be framed', async () => {
    assert.deepEqual(await faultsIn(frameScript(['https://shop.example'])), []);
  });
});

it('a regular expression that takes more than linear time is found, whatever a comment says', async () => {
  const code = '/* eslint-disable */ export const trim = (text) => text.replace(/\\s+$/, "");';
  assert.equal((await faultsIn(code)).length, 1);
});
