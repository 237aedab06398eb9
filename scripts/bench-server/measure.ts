// One run of the server bench: starts the servers and measures requests per second and processor time in short windows.
import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Connection, requestText, type HttpResponse } from '../load/http-connection.ts';
import { buildPrograms } from '../build/build-programs.ts';
import {
  subjectNames,
  type Command,
  type RecordedResponses,
  type RecordedResponse,
  type SubjectName,
  type Reply,
} from './parent-child-messages.ts';

const caseNames = ['status read, 200', 'status read, 304', 'create'] as const;
export type CaseName = (typeof caseNames)[number];

/** The subject with a SELECT answers only reads in a way of its own, and knows no validator. */
const isMeasured = (kind: CaseName, name: SubjectName): boolean =>
  name !== 'hono with a SELECT' || kind === 'status read, 200';

export interface BenchOptions {
  readonly rounds: number;
  /** The duration of the reads of one subject in one round. Creates are limited by `checkouts` instead. */
  readonly seconds: number;
  readonly connections: number;
  /** New invoices in one round, and checkouts whose status is read. */
  readonly checkouts: number;
}

/** The work of one subject in one measured window. */
export interface Window {
  readonly requests: number;
  readonly seconds: number;
  readonly cpuMicroseconds: number;
}

export type Windows = ReadonlyMap<CaseName, ReadonlyMap<SubjectName, readonly Window[]>>;

interface Subject {
  readonly name: SubjectName;
  readonly port: number;
  readonly send: (command: Command) => Promise<Reply>;
  stop(): Promise<void>;
}

/** A checkout with an invoice: its path, and the entity tag of its response. */
interface CreatedCheckout {
  readonly path: string;
  readonly etag: string;
}

/** Measures every subject with every kind of request, in turn, for all rounds. */
export async function runBench(options: BenchOptions): Promise<Windows> {
  const built = await buildPrograms({ subject: 'scripts/bench-server/server-process.ts' });
  const subjects: Subject[] = [];
  try {
    for (const name of subjectNames) subjects.push(await startSubject(built.file('subject'), name));
    return await compare(subjects, options);
  } finally {
    for (const subject of subjects) await subject.stop();
    built.remove();
  }
}

async function compare(subjects: readonly Subject[], options: BenchOptions): Promise<Windows> {
  const recorded = await recordResponses(subjects.find(({ name }) => name === 'checkout server'));
  for (const subject of subjects) await subject.send({ do: 'setResponses', responses: recorded });
  const windows = new Map(caseNames.map((name) => [name, new Map<SubjectName, Window[]>()]));
  for (let round = 0; round <= options.rounds; round += 1)
    for (const subject of subjects) {
      const { name } = subject;
      const paths = await openPaths(subject, options.checkouts);
      const creates = await createAll(subject, paths, options.connections);
      const reads = { subject, known: creates.known, ...options };
      for (const kind of caseNames.filter((one) => isMeasured(one, name))) {
        const window = kind === 'create' ? creates.window : await readFor(reads, kind === 'status read, 304');
        if (round === 0) continue; // the first round warms up
        const rounds = windows.get(kind)?.get(name) ?? [];
        windows.get(kind)?.set(name, [...rounds, window]);
      }
    }
  return windows;
}

async function startSubject(file: string, name: SubjectName): Promise<Subject> {
  const child: ChildProcess = fork(file, [name], { execArgv: [] });
  const nextReply = async (): Promise<Reply> => ((await once(child, 'message')) as [Reply])[0];
  const { port = 0 } = await nextReply();
  return {
    name,
    port,
    send(command) {
      child.send(command);
      return nextReply();
    },
    async stop() {
      const exited = once(child, 'exit');
      child.send({ do: 'stop' } satisfies Command);
      await exited;
    },
  };
}

/** Records responses of the checkout server, which the bare servers repeat. */
async function recordResponses(subject: Subject | undefined): Promise<RecordedResponses> {
  if (subject === undefined) throw new Error('no subject is the checkout server');
  const { ids = [] } = await subject.send({ do: 'open', count: 1 });
  const url = `http://127.0.0.1:${subject.port}/checkout/${ids[0] ?? ''}`;
  const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  const body = JSON.stringify({ payment_method_id: 'pm_sbp' });
  const create = await recordedResponse(await fetch(`${url}/invoice`, { method: 'POST', headers, body }));
  return { create, read: await recordedResponse(await fetch(url)) };
}

async function recordedResponse(response: Response): Promise<RecordedResponse> {
  if (!response.ok) throw new Error(`the checkout server answered ${response.status}`);
  const own = ['cache-control', 'x-content-type-options', 'vary'];
  const headers = Object.fromEntries(own.map((name) => [name, response.headers.get(name) ?? '']));
  return { etag: response.headers.get('etag') ?? '', headers, text: await response.text() };
}

async function openPaths(subject: Subject, count: number): Promise<readonly string[]> {
  if (subject.name === 'node:http' || subject.name === 'hono')
    return Array.from({ length: count }, (_, index) => `/checkout/chk_${String(index).padStart(32, '0')}`);
  const { ids = [] } = await subject.send({ do: 'open', count });
  return ids.map((id) => `/checkout/${id}`);
}

/** Sends the requests of `next` over all connections, one at a time on each, until `next` returns undefined. */
async function sendAll(
  { port, send }: Subject,
  connections: number,
  next: () => string | undefined,
  onResponse: (response: HttpResponse, index: number) => void,
): Promise<Window> {
  let requests = 0;
  const work = async (): Promise<void> => {
    const connection = new Connection(port);
    for (let request = next(); request !== undefined; request = next()) {
      const index = requests++;
      const text = request;
      const response = await new Promise<HttpResponse | Error>((resolve) => connection.send(text, resolve));
      if (response instanceof Error) throw response;
      onResponse(response, index);
    }
    connection.close();
  };
  const { cpuMicroseconds: before = NaN } = await send({ do: 'cpu' });
  const start = performance.now();
  await Promise.all(Array.from({ length: connections }, work));
  const seconds = (performance.now() - start) / 1000;
  const { cpuMicroseconds: after = NaN } = await send({ do: 'cpu' });
  return { requests, seconds, cpuMicroseconds: after - before };
}

async function createAll(subject: Subject, paths: readonly string[], connections: number) {
  const known: CreatedCheckout[] = [];
  let at = 0;
  const next = (): string | undefined => {
    const path = paths[at++];
    const headers = { 'idempotency-key': randomUUID() };
    return path && requestText('POST', `${path}/invoice`, headers, { payment_method_id: 'pm_sbp' });
  };
  const window = await sendAll(subject, connections, next, ({ status, etag }, index) => {
    if (status !== 201) throw new Error(`${subject.name} answered a create with ${status}`);
    known.push({ path: paths[index] ?? '', etag });
  });
  return { window, known };
}

async function readFor(
  {
    subject,
    known,
    seconds,
    connections,
  }: BenchOptions & { readonly subject: Subject; readonly known: readonly CreatedCheckout[] },
  isConditional: boolean,
): Promise<Window> {
  const end = performance.now() + seconds * 1000;
  const texts = known.map(({ path, etag }) => requestText('GET', path, isConditional ? { 'if-none-match': etag } : {}));
  let at = 0;
  const next = (): string | undefined => (performance.now() < end ? texts[at++ % texts.length] : undefined);
  return sendAll(subject, connections, next, ({ status }) => {
    if (status !== (isConditional ? 304 : 200)) throw new Error(`${subject.name} answered a read with ${status}`);
  });
}
