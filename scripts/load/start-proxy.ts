// HAProxy in front of the servers of a load run, as a shop has a proxy in front of its servers.
import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { killAtExit, stopChild } from './start-program.ts';

export interface Proxy {
  readonly url: string;
  /** Kills the proxy, which cuts every connection at once, and starts it again. */
  cutConnections(): Promise<void>;
  stop(): Promise<void>;
}

/** The proxy sends a request to another server when one does not accept it. The payers' own addresses stay in the headers. */
const configuration = (port: number, serverPorts: readonly number[]): string => `
global
  maxconn 9500
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout check 5s
  retries 3
  option redispatch 1
  retry-on conn-failure empty-response
listen payers
  bind 127.0.0.1:${port}
  balance leastconn
  option httpchk GET /readyz
${serverPorts.map((serverPort) => `  server port-${serverPort} 127.0.0.1:${serverPort} check inter 1s fall 5`).join('\n')}
`;

/** Starts HAProxy on a port. `folder` is for its configuration. */
export async function startProxy(folder: string, port: number, serverPorts: readonly number[]): Promise<Proxy> {
  const file = path.join(folder, `proxy-${port}.cfg`);
  const url = `http://127.0.0.1:${port}`;
  writeFileSync(file, configuration(port, serverPorts));
  const launch = async (): Promise<ChildProcess> => {
    // Debian installs it where only root looks for programs.
    const env = { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };
    const child = spawn('haproxy', ['-db', '-f', file], { env, stdio: 'ignore' });
    let error: Error | undefined;
    child.once('error', (cause) => (error = new Error('HAProxy is not installed', { cause })));
    child.once('exit', (code) => (error ??= new Error(`HAProxy has ended with ${code}`)));
    killAtExit(child);
    while (!(await isListening(url))) {
      if (error !== undefined) throw error;
      await sleep(20);
    }
    return child;
  };
  let child = await launch();
  return {
    url,
    async cutConnections() {
      await stopChild(child, 'SIGKILL');
      child = await launch();
    },
    stop: () => stopChild(child),
  };
}

/** Whether something answers, with whatever status. */
const isListening = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );
