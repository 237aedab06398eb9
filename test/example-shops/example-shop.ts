import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { listen } from '../mounts/listen.ts';
import { until } from '../support/wait-until.ts';
import { secret, signedHeaders } from './webhook-vectors.ts';

/** A language in which `examples/` has a shop. */
export interface Language {
  readonly name: 'PHP' | 'Python';
  /** The command that starts the shop on a port of 127.0.0.1. */
  readonly start: (port: string) => readonly [program: string, ...args: string[]];
  /** A command that reads `{ secret, vectors }` from standard input. It prints the results of its `is_signed` as JSON. */
  readonly checkVectors: readonly [program: string, ...args: string[]];
  /** Why the language's tests cannot run on this machine, or false. */
  readonly reasonToSkip: string | false;
}

const folder = resolve('examples');

/** Returns false when the program runs with these arguments, else the reason why it cannot be tested. */
function reasonToSkip(packages: string, program: string, ...args: readonly string[]): string | false {
  return spawnSync(program, args).status === 0 ? false : `not installed: apt-get install ${packages}`;
}

const php = `
require '${folder}/php/outcomes.php';
['secret' => $secret, 'vectors' => $vectors] = json_decode(file_get_contents('php://stdin'), true);
echo json_encode(array_map(fn ($one) => is_signed($secret, $one['headers'], $one['body'], $one['now']), $vectors));
`;
const python = `
import json, sys
sys.path.insert(0, '${folder}/python')
from outcomes import is_signed
request = json.load(sys.stdin)
print(json.dumps([is_signed(request['secret'], one['headers'], one['body'].encode(), one['now']) for one in request['vectors']]))
`;

export const languages: readonly Language[] = [
  {
    name: 'PHP',
    start: (port) => ['php', '-S', `127.0.0.1:${port}`, `${folder}/php/shop.php`],
    checkVectors: ['php', '-r', php],
    reasonToSkip: reasonToSkip('php-cli php-sqlite3', 'php', '-r', 'new PDO("sqlite::memory:");'),
  },
  {
    name: 'Python',
    start: () => ['python3', '-B', `${folder}/python/shop.py`],
    checkVectors: ['python3', '-B', '-c', python],
    reasonToSkip: reasonToSkip('python3', 'python3', '-c', 'import sqlite3, sys; assert sys.version_info >= (3, 11)'),
  },
];

const staffPassword = 'for staff only';

/** Finds a free port of this machine. */
export async function findFreePort(): Promise<string> {
  const { endpoint, close } = await listen(createServer(), '');
  await close();
  return new URL(endpoint).port;
}

/** One of the shops of `examples/` in its own process, with a database of its own that survives `restart`. */
export class ExampleShop {
  readonly url: string;
  readonly #language: Language;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #folder = mkdtempSync(join(tmpdir(), 'example-shop-'));
  #child: ChildProcess | undefined;
  #log = '';

  private constructor(language: Language, port: string, environment: NodeJS.ProcessEnv) {
    this.#language = language;
    this.url = `http://127.0.0.1:${port}`;
    this.#environment = {
      PATH: process.env['PATH'],
      SHOP_URL: this.url,
      SHOP_DATABASE: this.databaseFile,
      OUTCOME_SECRET: secret,
      STAFF_PASSWORD: staffPassword,
      ...environment,
    };
  }

  /** @param environment - `CHECKOUT_SERVER` and `ADMIN_TOKEN` at least */
  static async start(language: Language, port: string, environment: NodeJS.ProcessEnv): Promise<ExampleShop> {
    const shop = new ExampleShop(language, port, environment);
    await shop.restart();
    return shop;
  }

  get databaseFile(): string {
    return join(this.#folder, 'shop.sqlite');
  }

  async restart(): Promise<void> {
    await this.kill();
    const [program, ...args] = this.#language.start(new URL(this.url).port);
    const child = spawn(program, args, { env: this.#environment, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => (this.#log += chunk));
    const isUp = (): Promise<boolean> =>
      fetch(this.url).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(
      `the shop in ${this.#language.name} answers`,
      () => {
        if (child.exitCode !== null) throw new Error(this.#log);
        return isUp();
      },
      60_000,
    );
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Places an order as the page's form does. Resolves with the order's identifier, from the address of the redirect. */
  async placeOrder(): Promise<string> {
    const response = await fetch(`${this.url}/orders`, { method: 'POST', redirect: 'manual' });
    const [, id] = /\/orders\/(\w+)$/.exec(response.headers.get('location') ?? '') ?? [];
    if (id === undefined) throw new Error(`the order was answered with ${response.status}: ${this.#log}`);
    return id;
  }

  /** Fetches the page of an order. */
  async fetchPage(orderId: string): Promise<string> {
    return (await fetch(`${this.url}/orders/${orderId}`)).text();
  }

  async fetchStatus(orderId: string): Promise<string | undefined> {
    return /Status: <b>(\w+)</.exec(await this.fetchPage(orderId))?.[1];
  }

  /** Sends an outcome as the checkout server does. Resolves with the status of the response. */
  async sendOutcome(outcome: { readonly id: string; readonly kind: string }, key = secret): Promise<number> {
    const body = JSON.stringify({
      type: `checkout.${outcome.kind}`,
      timestamp: new Date().toISOString(),
      data: outcome,
    });
    const headers = signedHeaders(outcome.id, body, Math.floor(Date.now() / 1000), key);
    return (await fetch(`${this.url}/outcomes`, { method: 'POST', headers, body })).status;
  }

  /** Fetches the page with the payments that a person has to decide about. */
  async fetchStaffPage(password = staffPassword): Promise<Response> {
    const credentials = Buffer.from(`staff:${password}`).toString('base64');
    return fetch(`${this.url}/staff`, { headers: { authorization: `Basic ${credentials}` } });
  }

  /** The kinds of an order's outcomes that are on that page. */
  async listForPerson(orderId: string): Promise<readonly string[]> {
    const page = await (await this.fetchStaffPage()).text();
    return [...page.matchAll(/<li>(\w+) \w+ [\d.]+ (\w+)/g)].flatMap(([, kind, id]) =>
      id === orderId ? [kind ?? ''] : [],
    );
  }
}
