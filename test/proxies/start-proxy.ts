import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/wait-until.ts';

/** Programs that shops put in front of the server, each the Debian package of its name. */
export type ProxyName = 'nginx';

const commands: Readonly<Record<ProxyName, { readonly version: string; readonly run: (file: string) => string }>> = {
  nginx: { version: 'nginx -v', run: (file) => `nginx -e stderr -c ${file}` },
};

/** The reason for which tests with a proxy are skipped, or false. With CI=true they run, and fail. */
export function skipWithout(name: ProxyName): string | false {
  const isInstalled = spawnSync('sh', ['-c', commands[name].version]).status === 0;
  return !isInstalled && process.env['CI'] !== 'true' && `${name} is not installed`;
}

const canConnect = async (port: string): Promise<boolean> => {
  const socket = connect(Number(port), '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

/**
 * Starts a proxy. It is ended after the test.
 * @param configuration - the text of its file, given a folder for what it writes
 * @param port - where the text says that it listens
 */
export async function startProxy(
  t: TestContext,
  name: ProxyName,
  port: string,
  configuration: (folder: string) => string,
): Promise<void> {
  const folder = temporaryFolder(t);
  const file = join(folder, 'proxy.conf');
  writeFileSync(file, configuration(folder));
  const child = spawn('sh', ['-c', `exec ${commands[name].run(file)}`], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  await until(`${name} listens`, async () => {
    if (child.exitCode !== null) throw new Error(`${name} has ended: ${output}`);
    return canConnect(port);
  });
}

/** The file of an nginx that is not the system's: `server` is the text of its only server. */
export const nginxFile = (folder: string, server: string): string => `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
pid ${folder}/nginx.pid;
worker_processes 1;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((use) => `${use}_temp_path ${folder}/${use};`).join('\n  ')}
  server { ${server} }
}`;
