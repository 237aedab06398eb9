import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestContext } from 'node:test';
import { createSandbox } from '../../src/tools/sandbox/create-sandbox.ts';
import { listen } from '../mounts/listen.ts';

const token = 'server-processes-token';

/** A process of the standalone server. */
export interface ServerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** Returns the text that the process has written to standard error so far. */
  readonly errors: () => string;
}

/** Starts the program with a service that runs elsewhere. It is killed at the end of the test. */
export async function startServerProcess(
  t: TestContext,
  service: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/support/server-program.ts'], {
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      INVOICE_BASE_URL: service,
      INVOICE_ACCESS_TOKEN: token,
      INVOICE_MODE: 'TEST',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /Server\s+(\S+)/.exec(line) ?? [];
    if (url !== undefined) {
      child.stdout.resume();
      return { child, url, errors: () => errors };
    }
  }
  throw new Error(`the server did not start: ${errors}`);
}

/** Starts a sandbox and a proxy in front of it that delays the responses to CreateInvoice. */
export async function startSlowService(t: TestContext, createMs: number) {
  const sandbox = createSandbox({ token });
  const { url } = await sandbox.listen({ port: 0, host: '127.0.0.1' });
  const creates: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { url: path = '', method = 'GET', headers } = request;
      const body = await text(request);
      const isCreate = path.endsWith('/CreateInvoice');
      if (isCreate) creates.push(body);
      const serviceResponse = await fetch(`${url}${path}`, {
        method,
        body,
        headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
      });
      if (isCreate) await delay(createMs);
      response
        .writeHead(serviceResponse.status, { 'content-type': 'application/json' })
        .end(await serviceResponse.text());
    })().catch(() => response.destroy());
  });
  const { endpoint, close } = await listen(server, '');
  t.after(() => Promise.all([close(), sandbox.close()]));
  return { url: endpoint, sandbox: url, creates };
}
