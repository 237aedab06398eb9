import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { defaultLimits, defaultTiming } from '../../src/server.ts';
import { documentOf, documents } from './documents.ts';

const sources = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
    .join('\n');

const server = sources('src/server');
const example = sources('server-example');
const all = documents.map(({ text }) => text).join('\n');
const matches = (text: string, pattern: RegExp): readonly string[] => [
  ...new Set([...text.matchAll(pattern)].map(([whole, part]) => part ?? whole)),
];

/** The variables that a file of the environment reads. */
const variablesOf = (path: string): readonly string[] => matches(readFileSync(path, 'utf8'), /^ +([A-Z][A-Z_]+):/gm);

const known = new Set([...variablesOf('server-example/env.ts'), ...variablesOf('src/sandbox/config.ts')]);
const ofOthers = new Set([
  'ACCESS_TOKEN',
  'NODE_EXTRA_CA_CERTS',
  'BANK_TRANSFER',
  'CHROME_PATH',
  'WTR_BROWSERS',
  'FC_SEED',
  'FC_PATH',
]);

test('every variable of the environment that a document names is read by the example or the sandbox', () => {
  for (const { path, text } of documents)
    for (const name of matches(text, /\b(?:[A-Z][A-Z\d]*_[A-Z\d_]+[A-Z\d])\b|`(?:PORT|HOST)`/g))
      assert.ok(known.has(name.replaceAll('`', '')) || ofOthers.has(name), `${path} names ${name}`);
});

test('every variable that the example reads is explained in “Going live”', () => {
  const { text } = documentOf('docs/going-live.md');
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  for (const name of variablesOf('server-example/env.ts'))
    assert.ok(
      rows.some((row) => row.split('|')[1]?.includes(`\`${name}\``) === true),
      name,
    );
});

test('every command of the project that a document names is there', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const named = [...matches(all, /npm run ([\w:-]+)/g), ...matches(all, /npm (start|test)\b/g)];
  assert.ok(named.length > 2);
  for (const name of named) assert.ok(name in scripts, `npm run ${name}`);
  for (const file of matches(all, /npx tsx ([\w/.-]+\/[\w.-]+\.ts)/g)) assert.ok(existsSync(file), file);
});

test('every entry of the package is told in the guide, and no other', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, unknown> };
  const [, section = ''] = documentOf('docs/integrating.md').text.split('## What the package holds');
  const told = matches(section, /^\| (.*?) \|/gm).flatMap((cell) => matches(cell, /`(.*?)`/g));
  const entries = Object.keys(exports).map((entry) => `pay-invoice${entry.slice(1)}`);
  assert.deepEqual([...told].sort(), entries.filter((entry) => !entry.endsWith('package.json')).sort());
});

test('every flag of the package’s commands that a document names is one', () => {
  const usages = ['src/conformance/command-line.ts', 'src/sandbox/config.ts'].map((path) => {
    const [, command = '', usage = ''] = /`Usage: ([\w-]+) ([^`]+)`/.exec(readFileSync(path, 'utf8')) ?? [];
    return { command, usage };
  });
  for (const { command, usage } of usages) {
    const calls = matches(all.replaceAll('\\\n', ' '), new RegExp(`^npx ${command}\\b(.*)$`, 'gm'));
    assert.notEqual(calls.length, 0, command);
    for (const call of calls)
      for (const flag of matches(call.replaceAll(/"[^"]*"|'[^']*'/g, ''), / (--[\w-]+)/g))
        assert.match(usage, new RegExp(`^  ${flag}\\b`, 'm'), `${command} ${flag}`);
  }
});

test('every event of the log that a document names is written', () => {
  const loops = matches(server, /createWorkerLoop\(clock, log, '(\w+)'/g).map((name) => `${name}_failed`);
  const kinds = ['not_shown', 'created', 'rejected', 'in_doubt', 'paid', 'duplicate_payment'];
  const built = [...loops, ...kinds.flatMap((kind) => [`create_${kind}`, `outcome_${kind}`])];
  const written = new Set([...matches(server, /log\([^,()]+, '(\w+)'/g), ...built]);
  for (const name of ['docs/going-live.md', 'docs/troubleshooting.md', 'docs/security.md']) {
    const shape = /`((?:create|outcome|invoice_service|status|link|options|amount)_[a-z_]+)`/g;
    for (const event of matches(documentOf(name).text, shape)) assert.ok(written.has(event), `${name}: ${event}`);
  }
});

test('every metric that a document names is measured', () => {
  const prefixed = server.replaceAll('${prefix}', 'pay_invoice');
  for (const metric of matches(
    all,
    /\b((?:pay_invoice|nodejs|process)_[a-z\d_]+(?:_total|_seconds|_bytes|_stale|_answers|_invoices|_checkouts))\b/g,
  ))
    assert.ok(prefixed.includes(metric) || example.includes(metric), metric);
});

test('every limit and time that a document names is a setting', () => {
  for (const name of matches(all, /`limits\.([a-zA-Z]+)`/g)) assert.ok(name in defaultLimits, `limits.${name}`);
  for (const name of matches(all, /`timing\.([a-zA-Z]+)`/g)) assert.ok(name in defaultTiming, `timing.${name}`);
});

test('whatever the specification does not show is a question to the provider', () => {
  const questions = documentOf('docs/going-live.md').text;
  let section = '';
  for (const line of documentOf('docs/invoice-service.md').text.split('\n')) {
    section = /^#+ (\d+(?:\.\d+)?)\b/.exec(line)?.[1] ?? section;
    if (/not shown|not described/.test(line)) assert.ok(questions.includes(`(§${section})`), `§${section}: ${line}`);
  }
});
