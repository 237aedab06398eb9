import { fail } from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/wait-until.ts';

/** Programs that shops put in front of the server, each the Debian package of its name. */
export type ProxyName = 'nginx' | 'apache2' | 'haproxy' | 'varnish';

interface Commands {
  readonly version: string;
  /** Runs the program in the foreground, with a folder for what it writes. */
  readonly run: (file: string, folder: string, port: string) => string;
}

const commands: Readonly<Record<ProxyName, Commands>> = {
  nginx: { version: 'nginx -v', run: (file) => `nginx -e stderr -c ${file}` },
  apache2: { version: 'apache2 -v', run: (file) => `apache2 -D FOREGROUND -f ${file}` },
  haproxy: { version: 'haproxy -v', run: (file) => `haproxy -db -f ${file}` },
  varnish: {
    version: 'varnishd -V',
    run: (file, folder, port) => `varnishd -F -j none -n ${folder}/varnish -a 127.0.0.1:${port} -f ${file}`,
  },
};

/** Debian installs these programs where only root looks for them. */
const environment = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };

/** The reason for which tests with a proxy are skipped, or false. With CI=true they run, and fail. */
export function skipWithout(name: ProxyName): string | false {
  const isInstalled = spawnSync('sh', ['-c', commands[name].version], { env: environment }).status === 0;
  return !isInstalled && process.env['CI'] !== 'true' && `${name} is not installed`;
}

/** A proxy that is starting may accept a connection and drop it, so it listens when it answers, with whatever status. */
const isAnswering = (port: string): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );

/**
 * Starts a proxy, and returns what reads its output so far. It is ended after the test.
 * @param configuration - the text of its file, given a folder for what it writes
 * @param port - where the text says that it listens
 */
export async function startProxy(
  t: TestContext,
  name: ProxyName,
  port: string,
  configuration: (folder: string) => string,
): Promise<() => string> {
  const folder = temporaryFolder(t);
  const file = join(folder, 'proxy.conf');
  writeFileSync(file, configuration(folder));
  const child = spawn('sh', ['-c', `exec ${commands[name].run(file, folder, port)}`], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  await until(`${name} answers`, () => {
    if (child.exitCode !== null) throw new Error(`${name} has ended: ${output}`);
    return isAnswering(port);
  });
  return () => output;
}

/** The file of an nginx that is not the system's: `http` is the text of its servers. */
export const nginxFile = (folder: string, http: string): string => `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
pid ${folder}/nginx.pid;
worker_processes 1;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((use) => `${use}_temp_path ${folder}/${use};`).join('\n  ')}
  ${http}
}`;

const apacheModules = ['mpm_event', 'authz_core', 'filter', 'deflate', 'proxy', 'proxy_http'];

/** The site of Apache as the documents say it, without TLS. */
const apacheSite =
  /```apache\n([^`]*)```/.exec(readFileSync('docs/operations.md', 'utf8'))?.[1]?.replaceAll(/^ *SSL.*\n/gm, '') ??
  fail('no Apache text');

/** The file of an Apache that is not the system's, with the site of the documents; `directives` are of the whole server. */
export const apacheFile = (port: string, serverPort: string, folder: string, directives = ''): string => `
${apacheModules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
ServerRoot ${folder}
ServerName localhost
PidFile ${folder}/apache.pid
ErrorLog "|/bin/cat"
${process.getuid?.() === 0 ? 'User www-data\nGroup www-data' : ''}
Listen 127.0.0.1:${port}
${directives}
${apacheSite.replace('*:443', `*:${port}`).replace('127.0.0.1:8080', `127.0.0.1:${serverPort}`)}`;
