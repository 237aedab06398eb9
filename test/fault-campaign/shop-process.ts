import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Kill } from './kill-points.ts';
import { processMessage, type ProcessSettings } from './process-settings.ts';

type Child = ChildProcessByStdio<Writable, Readable, null>;

async function killChild(child: Child): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** A process of a shop, which is restarted whenever it is killed. */
export class ShopProcess {
  /** The port of the running process; undefined while none runs. */
  port: number | undefined;
  /** The address for payers. It stays the same when the process is restarted. */
  readonly url: string;
  /** The points at which it was killed. */
  readonly killedAt: Kill['point'][] = [];
  readonly #program: string;
  readonly #settings: Omit<ProcessSettings, 'kill'>;
  readonly #kills: Kill[];
  readonly #log: (line: string) => void;
  #child: Child | undefined;
  #isStopped = false;

  constructor(
    program: string,
    url: string,
    settings: Omit<ProcessSettings, 'kill'>,
    kills: readonly Kill[],
    log: (line: string) => void,
  ) {
    this.#program = program;
    this.url = url;
    this.#settings = settings;
    this.#kills = [...kills];
    this.#log = log;
  }

  /** Starts the process and resolves when it listens. A process that exits is started again. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [this.#program], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.on('error', () => undefined); // The process has exited; its `exit` event follows.
    this.#child = child;
    const listening = this.#readMessages(child);
    child.once('exit', () => {
      this.port = undefined;
      this.#log('has exited');
      if (!this.#isStopped) void this.start().catch(() => undefined); // The first `start` reports the failure.
    });
    const settings: ProcessSettings = { ...this.#settings, kill: this.#kills.shift() ?? null };
    child.stdin.write(`${JSON.stringify(settings)}\n`);
    await listening;
  }

  /** Kills the process and does not restart it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#child !== undefined) await killChild(this.#child);
  }

  async #readMessages(child: Child): Promise<void> {
    const lines = createInterface({ input: child.stdout });
    await new Promise<void>((resolve, reject) => {
      lines.on('line', (text) => {
        const line = processMessage.parse(JSON.parse(text));
        if ('port' in line) {
          this.port = line.port;
          this.#log('listens');
          resolve();
        } else if ('killedAt' in line) {
          this.killedAt.push(line.killedAt);
          this.#log(`is killed: ${line.killedAt}`);
        } else if ('failed' in line) {
          this.#isStopped = true;
          this.#log(line.failed);
          reject(new Error(line.failed));
        } else this.#log(`${line.log} ${line.facts}`);
      });
      lines.once('close', resolve);
    });
  }
}
