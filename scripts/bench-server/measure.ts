// One run of the server bench: starts the servers and measures requests per second and processor time in short windows.
import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, formatRequest, type HttpResponse } from '../load/http-connection.ts';
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

/** 'hono with a SELECT' is measured only for reads without an ETag, because it implements nothing else. */
const isMeasured = (kind: CaseName, name: SubjectName): boolean =>
  name !== 'hono with a SELECT' || kind === 'status read, 200';

/** The status poller fetches and saves each new invoice within this time, in milliseconds. The reads are measured after it. */
const firstFetchMs = 3000;

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
  const builtPrograms = await buildPrograms({ subject: 'scripts/bench-server/server-process.ts' });
  const subjects: Subject[] = [];
  try {
    for (const name of subjectNames) subjects.push(await startSubject(builtPrograms.file('subject'), name));
    return await measureAll(subjects, options);
  } finally {
    for (const subject of subjects) await subject.stop();
    builtPrograms.remove();
  }
}

async function measureAll(subjects: readonly Subject[], options: BenchOptions): Promise<Windows> {
  const recordedResponses = await recordResponses(subjects.find(({ name }) => name === 'checkout server'));
  for (const subject of subjects) await subject.send({ do: 'setResponses', responses: recordedResponses });
  const windows = new Map(caseNames.map((name) => [name, new Map<SubjectName, Window[]>()]));
  for (let round = 0; round <= options.rounds; round += 1)
    for (const subject of subjects) {
      const { name } = subject;
      const paths = await openPaths(subject, options.checkouts);
      const creates = await measureCreates(subject, paths, options.connections);
      if (hasStatusPoller(subject)) await sleep(firstFetchMs);
      const reads = { subject, known: creates.known, ...options };
      for (const kind of caseNames.filter((caseName) => isMeasured(caseName, name))) {
        const window = kind === 'create' ? creates.window : await measureReads(reads, kind === 'status read, 304');
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
  const create = await recordResponse(await fetch(`${url}/invoice`, { method: 'POST', headers, body }));
  return { create, read: await recordResponse(await fetch(url)) };
}

async function recordResponse(response: Response): Promise<RecordedResponse> {
  if (!response.ok) throw new Error(`the checkout server answered ${response.status}`);
  const copiedHeaders = ['cache-control', 'x-content-type-options', 'vary'];
  const headers = Object.fromEntries(copiedHeaders.map((name) => [name, response.headers.get(name) ?? '']));
  return { etag: response.headers.get('etag') ?? '', headers, text: await response.text() };
}

/** Whether the subject is a checkout server with its database and workers, and not a server of recorded responses. */
const hasStatusPoller = ({ name }: Subject): boolean => name !== 'node:http' && name !== 'hono';

async function openPaths(subject: Subject, count: number): Promise<readonly string[]> {
  if (!hasStatusPoller(subject))
    return Array.from({ length: count }, (_, index) => `/checkout/chk_${String(index).padStart(32, '0')}`);
  const { ids = [] } = await subject.send({ do: 'open', count });
  return ids.map((id) => `/checkout/${id}`);
}

/** Sends the requests of `next` over all connections, one at a time on each, until `next` returns undefined. */
async function sendAll(
  { port, send }: Subject,
  connections: number,
  nextRequest: () => string | undefined,
  onResponse: (response: HttpResponse, index: number) => void,
): Promise<Window> {
  let requests = 0;
  const sendOnConnection = async (): Promise<void> => {
    const connection = new Connection(port);
    for (let request = nextRequest(); request !== undefined; request = nextRequest()) {
      const index = requests++;
      const text = request;
      const response = await new Promise<HttpResponse | Error>((resolve) => connection.send(text, resolve));
      if (response instanceof Error) throw response;
      onResponse(response, index);
    }
    connection.close();
  };
  const { cpuMicroseconds: cpuBefore = NaN } = await send({ do: 'cpu' });
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: connections }, sendOnConnection));
  const seconds = (performance.now() - startedAt) / 1000;
  const { cpuMicroseconds: cpuAfter = NaN } = await send({ do: 'cpu' });
  return { requests, seconds, cpuMicroseconds: cpuAfter - cpuBefore };
}

async function measureCreates(subject: Subject, paths: readonly string[], connections: number) {
  const createdCheckouts: CreatedCheckout[] = [];
  let nextIndex = 0;
  const nextRequest = (): string | undefined => {
    const path = paths[nextIndex++];
    const headers = { 'idempotency-key': randomUUID() };
    return path && formatRequest('POST', `${path}/invoice`, headers, { payment_method_id: 'pm_sbp' });
  };
  const window = await sendAll(subject, connections, nextRequest, ({ status, etag }, index) => {
    if (status !== 201) throw new Error(`${subject.name} answered a create with ${status}`);
    createdCheckouts.push({ path: paths[index] ?? '', etag });
  });
  return { window, known: createdCheckouts };
}

async function measureReads(
  {
    subject,
    known: createdCheckouts,
    seconds,
    connections,
  }: BenchOptions & { readonly subject: Subject; readonly known: readonly CreatedCheckout[] },
  isConditional: boolean,
): Promise<Window> {
  const endsAt = performance.now() + seconds * 1000;
  const requestTexts = createdCheckouts.map(({ path, etag }) =>
    formatRequest('GET', path, isConditional ? { 'if-none-match': etag } : {}),
  );
  let nextIndex = 0;
  const nextRequest = (): string | undefined =>
    performance.now() < endsAt ? requestTexts[nextIndex++ % requestTexts.length] : undefined;
  return sendAll(subject, connections, nextRequest, ({ status }) => {
    if (status !== (isConditional ? 304 : 200)) throw new Error(`${subject.name} answered a read with ${status}`);
  });
}
