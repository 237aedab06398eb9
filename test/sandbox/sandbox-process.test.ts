import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import { z } from 'zod';
import { programArguments } from '../support/program-arguments.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Starts the program in a separate process. */
function startSandbox(t: TestContext, folder: string, environment: Readonly<Record<string, string>>): ChildProcess {
  const args = [...programArguments('src/bin/sandbox.ts'), '--store', join(folder, 'sandbox.json')];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, SANDBOX_PORT: '0', INVOICE_ACCESS_TOKEN: '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

/** Reads the first three lines that the program prints. */
async function readStartLines(child: ChildProcess): Promise<readonly string[]> {
  const lines: string[] = [];
  if (child.stdout !== null)
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (lines.length === 3) break;
    }
  return lines;
}

describe('the sandbox program', () => {
  it('does not print an access token that the environment sets', async (t) => {
    const program = startSandbox(t, temporaryFolder(t), { INVOICE_ACCESS_TOKEN: 'my-secret' });
    const lines = await readStartLines(program);
    assert.equal(lines.length, 3);
    assert.doesNotMatch(lines.join('\n'), /my-secret/);
  });

  it('that cannot start prints the reason in one line, and exits with 1', async (t) => {
    const otherServer = createServer().listen(0, '127.0.0.1');
    t.after(() => otherServer.close());
    await once(otherServer, 'listening');
    const { port } = z.looseObject({ port: z.number() }).parse(otherServer.address());
    const folder = temporaryFolder(t);
    for (const [environment, line, dataFolder = folder] of [
      [{ SANDBOX_PORT: '80a' }, /^The sandbox cannot start: SANDBOX_PORT must be a whole number from 0 to 65535\n$/],
      [
        { SANDBOX_PORT: String(port) },
        /^The sandbox cannot start: port \d+ cannot be used \(EADDRINUSE\): another program is on it; choose another by --port\n$/,
      ],
      [{}, /^The sandbox cannot start: .*\n$/, '/dev/null/x'],
    ] as const) {
      const child = startSandbox(t, dataFolder, environment);
      const texts: string[] = [];
      child.stderr?.setEncoding('utf8').on('data', (text: string) => texts.push(text));
      const [code] = z.tuple([z.number(), z.null()]).parse(await once(child, 'close'));
      assert.equal(code, 1);
      assert.match(texts.join(''), line);
    }
  });
});
