import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Kill } from './kill-points.ts';
import { processMessage, type ProcessSettings } from './process-settings.ts';

type Child = ChildProcessByStdio<Writable, Readable, null>;

async function kill(child: Child): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** A process of a shop that is started again whenever it dies. */
export class ShopProcess {
  /** The port of the running process; undefined while none runs. */
  port: number | undefined;
  /** The address for payers. It stays the same when the process is restarted. */
  readonly url: string;
  /** The deaths that it has died. */
  readonly died: Kill['point'][] = [];
  readonly #program: string;
  readonly #orders: Omit<ProcessSettings, 'kill'>;
  readonly #kills: Kill[];
  readonly #log: (line: string) => void;
  #child: Child | undefined;
  #isOver = false;

  constructor(
    program: string,
    url: string,
    orders: Omit<ProcessSettings, 'kill'>,
    kills: readonly Kill[],
    log: (line: string) => void,
  ) {
    this.#program = program;
    this.url = url;
    this.#orders = orders;
    this.#kills = [...kills];
    this.#log = log;
  }

  /** Starts the process and resolves when it listens. A process that dies is started again. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [this.#program], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.on('error', () => undefined); // the process has died: its exit event follows
    this.#child = child;
    const listening = this.#hear(child);
    child.once('exit', () => {
      this.port = undefined;
      this.#log('is dead');
      if (!this.#isOver) void this.start().catch(() => undefined); // the one that waits for the start reports the failure
    });
    const orders: ProcessSettings = { ...this.#orders, kill: this.#kills.shift() ?? null };
    child.stdin.write(`${JSON.stringify(orders)}\n`);
    await listening;
  }

  /** Kills it for good. */
  async stop(): Promise<void> {
    this.#isOver = true;
    if (this.#child !== undefined) await kill(this.#child);
  }

  async #hear(child: Child): Promise<void> {
    const lines = createInterface({ input: child.stdout });
    await new Promise<void>((resolve, reject) => {
      lines.on('line', (text) => {
        const line = processMessage.parse(JSON.parse(text));
        if ('port' in line) {
          this.port = line.port;
          this.#log('listens');
          resolve();
        } else if ('dies' in line) {
          this.died.push(line.dies);
          this.#log(`dies: ${line.dies}`);
        } else if ('failed' in line) {
          this.#isOver = true;
          this.#log(line.failed);
          reject(new Error(line.failed));
        } else this.#log(`${line.log} ${line.facts}`);
      });
      lines.once('close', resolve);
    });
  }
}
