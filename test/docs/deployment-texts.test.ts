// The texts for systemd and Docker in “Operations”. That for nginx is tried in test/proxies.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { test } from 'node:test';
import { parse } from 'yaml';
import { z } from 'zod';
import { readServerEnvironment } from '../../src/standalone/environment/server-environment.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { documentOf } from './documents.ts';

const { blocks } = documentOf('docs/operations.md');
const blockOf = (language: string): string =>
  blocks.find((block) => block.language === language)?.code ?? assert.fail(`no ${language} text`);

/** What the file of variables has, which both texts name. */
const secrets = {
  INVOICE_BASE_URL: 'https://service.example',
  INVOICE_ACCESS_TOKEN: 'token',
  INVOICE_MODE: 'TEST',
  ADMIN_TOKEN: 'a-token-of-24-characters',
};

/** Checks that the server reads each variable, and listens on the ports that the proxy has as its upstream. */
function checkProcesses(processes: readonly Readonly<Record<string, string>>[]): void {
  const environments = processes.map((variables) => readServerEnvironment({ ...secrets, ...variables }));
  for (const { trustedProxies } of environments) assert.equal(trustedProxies, 1);
  const nginx = blocks.find(({ code }) => code.startsWith('upstream '))?.code ?? '';
  const upstreams = [...nginx.matchAll(/server (127\.0\.0\.1:\d+)/g)].map(([, server]) => server);
  assert.deepEqual(environments.map(({ host, port }) => `${host}:${port}`), upstreams); // prettier-ignore
}

const isMissing = spawnSync('systemd-analyze', ['--version']).status !== 0 && process.env['CI'] !== 'true';

test('systemd accepts the unit', { skip: isMissing && 'systemd-analyze is not installed' }, () => {
  const file = join(temporaryFolder(), 'pay-invoice@.service');
  writeFileSync(file, blockOf('ini').replace('/usr/bin/node', execPath));
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
  // An unknown key is only told.
  assert.deepEqual([status, stdout + stderr], [0, '']);
});

test('the units of systemd are the two processes behind the proxy', () => {
  const [, line = ''] = /^Environment=(.*)$/m.exec(blockOf('ini')) ?? [];
  const assignments = line.split(' ').map((one) => one.split('='));
  const restarted = /for port in ([\d ]+);/.exec(blocks.map(({ code }) => code).join(''))?.[1]?.split(' ') ?? [];
  checkProcesses(
    restarted.map((port) =>
      Object.fromEntries(assignments.map(([name = '', value = '']) => [name, value.replace('%i', port)] as const)),
    ),
  );
});

test('the containers of Docker are the two processes behind the proxy, and have the time that they need to end', () => {
  const service = z.object({
    image: z.literal('pay-invoice-server'),
    environment: z.record(z.string(), z.string()),
    stop_grace_period: z.literal('15s'),
    volumes: z.tuple([z.literal('data:/data')]),
  });
  const { services } = z
    .object({ services: z.record(z.string(), service), volumes: z.object({ data: z.null() }) })
    .parse(parse(blockOf('yaml'), { merge: true }));
  checkProcesses(Object.values(services).map(({ environment }) => environment));
});
