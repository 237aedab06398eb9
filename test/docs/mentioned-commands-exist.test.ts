import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { z } from 'zod';
import { runCommandLine } from '../../src/conformance.ts';
import { readFlags } from '../../src/tools/sandbox/command-line.ts';
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

/** Runs the conformance command with `--list`, which sends no request and fails when an argument is unknown. */
async function checkConformanceArguments(args: readonly string[]): Promise<void> {
  let errorOutput = '';
  await runCommandLine([...args, '--list'], {
    write: () => undefined,
    writeError: (text) => (errorOutput += text),
    isTerminal: false,
    environment: {},
  });
  assert.equal(errorOutput, '');
}

async function checkCommand(words: readonly string[]): Promise<void> {
  const [program = '', subcommand = '', argument = '', ...moreArguments] = words;
  if (program === 'npm') {
    if (subcommand === 'run') assert.ok(argument in scripts, `there is no script ${argument}`);
    else if (subcommand === 'start' || subcommand === 'test') assert.ok(subcommand in scripts);
    else assert.match(subcommand, /^(?:ci|install|pack|pkg)$/);
  } else if (program === 'npx') {
    if (subcommand === 'tsx')
      assert.ok(
        existsSync(argument) || documents.some(({ blocks }) => blocks.some(({ file }) => file === argument)),
        argument,
      );
    else if (subcommand === 'pay-invoice-sandbox') readFlags([argument, ...moreArguments].filter(Boolean), {});
    else if (subcommand === 'pay-invoice-conformance') await checkConformanceArguments([argument, ...moreArguments]);
    else
      assert.ok(
        subcommand in bin ||
          `@${subcommand}s/cli` in devDependencies ||
          subcommand in dependencies ||
          subcommand === 'changeset',
        subcommand,
      );
  } else if (program === 'node') {
    const isFile = documents.some(({ blocks }) => blocks.some(({ file }) => file === subcommand));
    assert.ok(isFile || existsSync(`server-example/${subcommand}`), subcommand);
  } else assert.match(program, /^(?:curl|cp|sqlite3|pg_dump|git|cd|docker)$/, `no test checks the command ${program}`);
}

const shellLines = documents.flatMap(({ path, blocks }) =>
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

for (const { path, place, line } of shellLines)
  if (!path.startsWith('docs/ru/'))
    test(`the command \`${line}\` at ${place} exists with its arguments`, async () => {
      for (const command of line.split(' && ')) await checkCommand(wordsOf(command));
    });

test('every script that the prose of a document names exists', () => {
  for (const { path, prose } of documents)
    for (const [, name = ''] of prose.matchAll(/npm run ([\w:-]+)/g)) assert.ok(name in scripts, `${path}: ${name}`);
});

/** The languages of fenced blocks. Some test compiles, parses or runs them, but for the diagram. */
const languages = ['', 'ts', 'js', 'css', 'html', 'jsonc', 'sh', 'csp', 'tsx', 'vue', 'svelte', 'mermaid'];

test('every fenced block has a language that a test checks', () => {
  for (const { path, text, blocks } of documents) {
    assert.equal([...text.matchAll(/^\s*(?:```|~~~)/gm)].length, 2 * blocks.length, path);
    for (const { language, place } of blocks) assert.ok(languages.includes(language), `${place}: ${language}`);
  }
});
