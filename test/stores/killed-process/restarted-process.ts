import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Kill, ShopMessage, ShopSettings } from './kill-points.ts';

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** A process of a shop. It is restarted when it is killed, and is then not killed again. */
export class ShopProcess {
  /** The address of the checkout API; undefined while the process does not run. */
  endpoint: string | undefined;
  /** How often it has exited although nobody killed it and its start had not failed. */
  crashCount = 0;
  /** The point at which it was killed. */
  killedAt: Kill['point'] | undefined;
  readonly #program: string;
  #settings: ShopSettings;
  #child: Child | undefined;
  #hasListened = false;
  #isStopped = false;

  constructor(program: string, settings: ShopSettings) {
    this.#program = program;
    this.#settings = settings;
  }

  /** Resolves when the process listens. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [this.#program], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.on('error', () => undefined); // The process has exited; its `exit` event follows.
    this.#child = child;
    let isFailedStart = false;
    child.once('exit', (_, signal) => {
      this.endpoint = undefined;
      if (signal === null && !isFailedStart) this.crashCount += 1;
      this.#settings = { ...this.#settings, kill: null };
      if (!this.#isStopped) this.start().catch(() => undefined);
    });
    child.stdin.write(`${JSON.stringify(this.#settings)}\n`);
    await new Promise<void>((resolve, reject) => {
      const lines = createInterface({ input: child.stdout });
      lines.on('line', (line) => {
        const message = JSON.parse(line) as ShopMessage;
        if ('failed' in message) {
          // A later start can fail because the database is away: the process exits, and is started again.
          isFailedStart = true;
          this.#isStopped ||= !this.#hasListened;
          reject(new Error(message.failed));
        } else if ('port' in message) {
          this.endpoint = `http://127.0.0.1:${message.port}/checkout`;
          this.#hasListened = true;
          resolve();
        } else this.killedAt = message.killedAt;
      });
      lines.once('close', resolve);
    });
  }

  /** Kills the process, which is then started again. Does nothing while it does not run. */
  kill(): void {
    if (this.endpoint !== undefined) this.#child?.kill('SIGKILL');
  }

  /** Kills the process and does not restart it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const child = this.#child;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}
