import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { z } from 'zod';

const lines = readFileSync('Dockerfile', 'utf8').split('\n');
const manifest = z
  .object({
    bin: z.record(z.string(), z.string()),
    engines: z.object({ node: z.string() }),
    scripts: z.record(z.string(), z.string()),
    devDependencies: z.record(z.string(), z.string()),
  })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));
const listInstructions = (name: string): readonly string[] =>
  lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));

test('the files that the Dockerfile copies from the repository exist', () => {
  const copiedPaths = listInstructions('COPY')
    .filter((text) => !text.startsWith('--from'))
    .flatMap((text) => text.split(' ').slice(0, -1));
  assert.ok(copiedPaths.length > 0);
  for (const path of copiedPaths) assert.ok(existsSync(path), path);
});

test('the container runs the program of the package as a user who is not root', () => {
  const [command = ''] = listInstructions('CMD');
  const args = z.array(z.string()).parse(JSON.parse(command));
  assert.deepEqual(args, [
    'node',
    `node_modules/pay-invoice/${manifest.bin['pay-invoice-server']?.replace(/^\.\//, '')}`,
  ]);
  assert.deepEqual(listInstructions('USER'), ['node']);
});

test('the Dockerfile uses existing scripts of the package, and installs the driver of PostgreSQL in the tested version', () => {
  const runs = listInstructions('RUN').join('\n');
  for (const [, name = ''] of runs.matchAll(/npm run ([\w:]+)/g)) assert.ok(name in manifest.scripts, name);
  const [, version = 'none'] = / pg@([\d.]+)/.exec(runs) ?? [];
  assert.ok(manifest.devDependencies['pg']?.startsWith(`${version}.`), version);
});

test('the container stores its data on a volume, and its health check is that of the process: an outage of the database replaces no container', () => {
  const text = lines.join('\n');
  assert.deepEqual(listInstructions('VOLUME'), ['/data']);
  assert.match(text, /DATA_DIR=\/data/);
  assert.match(text, /HEALTHCHECK .*\/healthz/);
});

test('the Dockerfile has versions of base images and absolute folders, and runs its last steps not as root', () => {
  for (const image of listInstructions('FROM')) assert.match(image, /^node:\d+-\w+-slim\b/);
  for (const folder of listInstructions('WORKDIR')) assert.match(folder, /^\//);
  assert.deepEqual(
    [listInstructions('ADD').length, listInstructions('CMD').length, listInstructions('HEALTHCHECK').length],
    [0, 1, 1],
  );
  assert.ok(lines.indexOf('USER node') > lines.findLastIndex((line) => line.startsWith('RUN ')), 'steps run as root');
  assert.doesNotMatch(lines.join('\n'), /\bsudo\b|:latest\b/);
});
