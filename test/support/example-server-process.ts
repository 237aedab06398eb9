import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { until } from './wait-until.ts';

const invoiceList = z.object({ invoices: z.array(z.object({ id: z.string() })) });

/** The program of `npm start`, or another shop, in its own process, on free ports, with data that survives `restart`. */
export class ExampleServerProcess {
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #program: string;
  #child: ChildProcess | undefined;
  #addresses = { shop: '', sandbox: '' };

  private constructor(folder: string, environment: NodeJS.ProcessEnv, program: string) {
    this.#folder = folder;
    this.#environment = environment;
    this.#program = program;
  }

  static async start(environment: NodeJS.ProcessEnv = {}, program = 'demo/server.ts'): Promise<ExampleServerProcess> {
    const folder = await mkdtemp(path.join(tmpdir(), 'pay-invoice-'));
    // `npm start` builds the pages, too, before it runs the program. `restart` uses the same pages.
    execFileSync(process.execPath, ['--import', 'tsx', 'scripts/build-if-stale.ts', 'pages'], { stdio: 'inherit' });
    const shop = new ExampleServerProcess(folder, environment, program);
    await shop.#spawn({ PORT: '0', SANDBOX_PORT: '0' });
    return shop;
  }

  /** Where the shop listens, such as `http://127.0.0.1:40123`. */
  get url(): string {
    return this.#addresses.shop;
  }

  /** Where the sandbox listens. */
  get sandbox(): string {
    return this.#addresses.sandbox;
  }

  /** Kills the program without a chance to clean up. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child?.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Kills the program and starts it again, on the same ports and data, once the sandbox has written its newest invoice. */
  async restart(): Promise<void> {
    const { invoices } = invoiceList.parse(await (await fetch(`${this.sandbox}/sandbox/invoices?limit=1`)).json());
    const isWritten = async (): Promise<boolean> => {
      const snapshot = await readFile(path.join(this.#folder, 'sandbox.json'), 'utf8');
      return invoices.every(({ id }) => snapshot.includes(id));
    };
    await until('the sandbox has written its newest invoice', isWritten);
    await this.kill();
    const ports = { PORT: new URL(this.url).port, SANDBOX_PORT: new URL(this.sandbox).port };
    await this.#spawn(ports);
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #spawn(ports: Readonly<Record<'PORT' | 'SANDBOX_PORT', string>>): Promise<void> {
    const child = spawn(process.execPath, ['--import', 'tsx', this.#program], {
      env: { ...process.env, DATA_DIR: this.#folder, ...ports, ...this.#environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    const lines = createInterface({ input: child.stdout });
    for await (const line of lines) {
      const [, shop] = /Shop\s+(http:\S+)/.exec(line) ?? [];
      const [, sandbox] = /Sandbox\s+(http:\S+)/.exec(line) ?? [];
      if (shop !== undefined) this.#addresses.shop = shop.replace(/\/$/, '');
      if (sandbox !== undefined) this.#addresses.sandbox = sandbox.replace(/\/$/, '');
      if (this.#addresses.shop !== '' && this.#addresses.sandbox !== '') break;
    }
    if (child.exitCode !== null) throw new Error(`the shop stopped with ${child.exitCode}`);
    child.stdout.resume();
  }
}
