import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { z } from 'zod';
import { runCommandLine } from '../../src/conformance.ts';
import { readFlags } from '../../src/sandbox/command-line.ts';
import { documents } from './documents.ts';

// Every command of a shell block exists. The package's own commands are called with their arguments.
const { scripts, bin, devDependencies, dependencies } = z
  .object({
    scripts: z.record(z.string(), z.string()),
    bin: z.record(z.string(), z.string()),
    dependencies: z.record(z.string(), z.string()),
    devDependencies: z.record(z.string(), z.string()),
  })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));

/** The words of a command, as a shell splits them. */
const wordsOf = (command: string): readonly string[] =>
  [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => double ?? single ?? bare ?? '');

/** Runs the conformance command's own check of its arguments: it fails before any request when one is unknown. */
async function conformance(args: readonly string[]): Promise<void> {
  let complaint = '';
  await runCommandLine([...args, '--list'], {
    write: () => undefined,
    writeError: (text) => (complaint += text),
    isTerminal: false,
    environment: {},
  });
  assert.equal(complaint, '');
}

async function check(words: readonly string[]): Promise<void> {
  const [program = '', first = '', second = '', ...rest] = words;
  if (program === 'npm') {
    if (first === 'run') assert.ok(second in scripts, `there is no script ${second}`);
    else if (first === 'start' || first === 'test') assert.ok(first in scripts);
    else assert.match(first, /^(?:ci|install|pack|pkg)$/);
  } else if (program === 'npx') {
    if (first === 'tsx')
      assert.ok(
        existsSync(second) || documents.some(({ blocks }) => blocks.some(({ file }) => file === second)),
        second,
      );
    else if (first === 'pay-invoice-sandbox') readFlags([second, ...rest].filter(Boolean), {});
    else if (first === 'pay-invoice-conformance') await conformance([second, ...rest]);
    else
      assert.ok(
        first in bin || `@${first}s/cli` in devDependencies || first in dependencies || first === 'changeset',
        first,
      );
  } else assert.match(program, /^(?:curl|sqlite3|pg_dump|git|cd|docker)$/, `no test checks the command ${program}`);
}

const lines = documents.flatMap(({ path, blocks }) =>
  blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code, place }) =>
      code
        .replaceAll(/\\\n\s*/g, '')
        .trim()
        .split('\n')
        .map((line) => ({ path, place, line: line.replace(/ +# .*/, '') })),
    ),
);

for (const { path, place, line } of lines)
  if (!path.startsWith('docs/ru/'))
    test(`the command \`${line}\` at ${place} exists with its arguments`, async () => {
      for (const command of line.split(' && ')) await check(wordsOf(command));
    });

test('every script that the prose of a document names exists', () => {
  for (const { path, prose } of documents)
    for (const [, name = ''] of prose.matchAll(/npm run ([\w:-]+)/g)) assert.ok(name in scripts, `${path}: ${name}`);
});

/** The languages of fenced blocks, all of which some test compiles, parses or runs. */
const languages = ['', 'ts', 'js', 'css', 'html', 'jsonc', 'sh', 'csp', 'tsx', 'vue', 'svelte'];

test('every fenced block has a language that a test checks', () => {
  for (const { path, text, blocks } of documents) {
    assert.equal([...text.matchAll(/^\s*(?:```|~~~)/gm)].length, 2 * blocks.length, path);
    for (const { language, place } of blocks) assert.ok(languages.includes(language), `${place}: ${language}`);
  }
});
