import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Connection, textOf, type Answer } from '../load/connection.ts';
import { buildPrograms } from '../build/build-programs.ts';
import {
  contenderNames,
  type Asked,
  type Canned,
  type CannedAnswer,
  type ContenderName,
  type Told,
} from './messages.ts';

const caseNames = ['status read, 200', 'status read, 304', 'create'] as const;
export type CaseName = (typeof caseNames)[number];

export interface BenchOptions {
  readonly rounds: number;
  /** Of one contender with one kind of request in one round; creates are counted instead. */
  readonly seconds: number;
  readonly connections: number;
  /** New invoices in one round, and checkouts whose status is read. */
  readonly checkouts: number;
}

/** What one contender did in one window. */
export interface Window {
  readonly requests: number;
  readonly seconds: number;
  readonly cpuMicroseconds: number;
}

export type Windows = ReadonlyMap<CaseName, ReadonlyMap<ContenderName, readonly Window[]>>;

interface Contender {
  readonly name: ContenderName;
  readonly port: number;
  readonly ask: (asked: Asked) => Promise<Told>;
  stop(): Promise<void>;
}

/** What is read: the address, and the validator of what it shows. */
interface Known {
  readonly path: string;
  readonly etag: string;
}

/** Runs every contender with every kind of request, in turn, again and again. */
export async function runBench(options: BenchOptions): Promise<Windows> {
  const built = await buildPrograms({ contender: 'scripts/bench-server/subject.ts' });
  const contenders: Contender[] = [];
  try {
    for (const name of contenderNames) contenders.push(await startContender(built.file('contender'), name));
    return await compare(contenders, options);
  } finally {
    for (const contender of contenders) await contender.stop();
    built.remove();
  }
}

async function compare(contenders: readonly Contender[], options: BenchOptions): Promise<Windows> {
  const canned = await learn(contenders.find(({ name }) => name === 'checkout server'));
  for (const contender of contenders) await contender.ask({ do: 'can', canned });
  const windows = new Map(caseNames.map((name) => [name, new Map<ContenderName, Window[]>()]));
  for (let round = 0; round <= options.rounds; round += 1)
    for (const contender of contenders) {
      const { name } = contender;
      const paths = await openPaths(contender, options.checkouts);
      const creates = await createAll(contender, paths, options.connections);
      const reads = { contender, known: creates.known, ...options };
      const measured: Readonly<Record<CaseName, Window>> = {
        create: creates.window,
        'status read, 304': await readFor(reads, true),
        'status read, 200': await readFor(reads, false),
      };
      if (round === 0) continue; // everybody warms up
      for (const kind of caseNames) {
        const rounds = windows.get(kind)?.get(name) ?? [];
        windows.get(kind)?.set(name, [...rounds, measured[kind]]);
      }
    }
  return windows;
}

async function startContender(file: string, name: ContenderName): Promise<Contender> {
  const child: ChildProcess = fork(file, [name], { execArgv: [] });
  const told = async (): Promise<Told> => ((await once(child, 'message')) as [Told])[0];
  const { port = 0 } = await told();
  return {
    name,
    port,
    ask(asked) {
      child.send(asked);
      return told();
    },
    async stop() {
      const exited = once(child, 'exit');
      child.send({ do: 'stop' } satisfies Asked);
      await exited;
    },
  };
}

/** What a checkout server answers, for those that only repeat it. */
async function learn(contender: Contender | undefined): Promise<Canned> {
  if (contender === undefined) throw new Error('there is no checkout server');
  const { ids = [] } = await contender.ask({ do: 'open', count: 1 });
  const url = `http://127.0.0.1:${contender.port}/checkout/${ids[0] ?? ''}`;
  const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  const body = JSON.stringify({ payment_method_id: 'pm_sbp' });
  const create = await cannedOf(await fetch(`${url}/invoice`, { method: 'POST', headers, body }));
  return { create, read: await cannedOf(await fetch(url)) };
}

async function cannedOf(response: Response): Promise<CannedAnswer> {
  if (!response.ok) throw new Error(`the checkout server answers with ${response.status}`);
  const own = ['cache-control', 'x-content-type-options', 'vary'];
  const headers = Object.fromEntries(own.map((name) => [name, response.headers.get(name) ?? '']));
  return { etag: response.headers.get('etag') ?? '', headers, text: await response.text() };
}

async function openPaths(contender: Contender, count: number): Promise<readonly string[]> {
  if (!contender.name.startsWith('checkout server'))
    return Array.from({ length: count }, (_, index) => `/checkout/chk_${String(index).padStart(32, '0')}`);
  const { ids = [] } = await contender.ask({ do: 'open', count });
  return ids.map((id) => `/checkout/${id}`);
}

/** Lets every connection send what `next` gives it, one request after another, until there is nothing more. */
async function drive(
  { port, ask }: Contender,
  connections: number,
  next: () => string | undefined,
  take: (answer: Answer, index: number) => void,
): Promise<Window> {
  let requests = 0;
  const work = async (): Promise<void> => {
    const connection = new Connection(port);
    for (let request = next(); request !== undefined; request = next()) {
      const index = requests++;
      const text = request;
      const answer = await new Promise<Answer | Error>((resolve) => connection.send(text, resolve));
      if (answer instanceof Error) throw answer;
      take(answer, index);
    }
    connection.close();
  };
  const { cpuMicroseconds: before = NaN } = await ask({ do: 'cpu' });
  const start = performance.now();
  await Promise.all(Array.from({ length: connections }, work));
  const seconds = (performance.now() - start) / 1000;
  const { cpuMicroseconds: after = NaN } = await ask({ do: 'cpu' });
  return { requests, seconds, cpuMicroseconds: after - before };
}

async function createAll(contender: Contender, paths: readonly string[], connections: number) {
  const known: Known[] = [];
  let at = 0;
  const next = (): string | undefined => {
    const path = paths[at++];
    const headers = { 'idempotency-key': randomUUID() };
    return path && textOf('POST', `${path}/invoice`, headers, { payment_method_id: 'pm_sbp' });
  };
  const window = await drive(contender, connections, next, ({ status, etag }, index) => {
    if (status !== 201) throw new Error(`${contender.name} creates with ${status}`);
    known.push({ path: paths[index] ?? '', etag });
  });
  return { window, known };
}

async function readFor(
  {
    contender,
    known,
    seconds,
    connections,
  }: BenchOptions & { readonly contender: Contender; readonly known: readonly Known[] },
  isConditional: boolean,
): Promise<Window> {
  const end = performance.now() + seconds * 1000;
  const texts = known.map(({ path, etag }) => textOf('GET', path, isConditional ? { 'if-none-match': etag } : {}));
  let at = 0;
  const next = (): string | undefined => (performance.now() < end ? texts[at++ % texts.length] : undefined);
  return drive(contender, connections, next, ({ status }) => {
    if (status !== (isConditional ? 304 : 200)) throw new Error(`${contender.name} reads with ${status}`);
  });
}
