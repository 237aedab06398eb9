// The OpenAPI documents, by the recommended rules of two linters, which `npm ci` in this folder installs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { temporaryFolder } from '../support/temporary-folder.ts';

const programs = 'test/openapi-lint/node_modules/.bin';
const files = ['docs/openapi/checkout.json', 'docs/openapi/invoice-service.json', 'docs/openapi/server.json'] as const;

function run(program: string, args: readonly string[]): string {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout, stderr, error } = spawnSync(`${programs}/${program}`, args, { encoding: 'utf8', env });
  if (error !== undefined) throw error;
  assert.notEqual(stdout, '', stderr);
  return stdout;
}

const report = z.object({ problems: z.array(z.unknown()) });

for (const file of files) {
  test(`Redocly finds nothing in ${file}`, () => {
    const output = run('redocly', ['lint', '--extends', 'recommended', '--format', 'json', file]);
    assert.deepEqual(report.parse(JSON.parse(output)).problems, []);
  });

  test(`Spectral finds nothing in ${file}`, () => {
    const ruleset = join(temporaryFolder(), 'ruleset.yaml');
    writeFileSync(ruleset, 'extends: ["spectral:oas"]\n');
    const output = run('spectral', ['lint', '--ruleset', ruleset, '--quiet', '--format', 'json', file]);
    assert.deepEqual(JSON.parse(output), []);
  });
}
