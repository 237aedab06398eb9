// docs/benchmarks.md out of results/*.json: no number of it is typed by hand.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerBench } from '../../scripts/bench-server/report.ts';
import { table } from '../../scripts/markdown-table.ts';
import type { BrowserResult, Moment, SubjectResult } from './browser-result.ts';
import { median, spread } from './statistics.ts';
import { serverDelayMs } from './bench-server.ts';
import { subjects } from './subjects.ts';
import { idleBeforeMeasureMs } from './measure-subject.ts';
import { cpuRate, network, viewport } from './throttled-visit.ts';

const place = (path: string): URL => new URL(path, import.meta.url);

function read(path: string): unknown {
  return existsSync(place(path)) ? JSON.parse(readFileSync(place(path), 'utf8')) : undefined;
}

const nothing = '–';
const whole = (value: number): string => Math.round(value).toLocaleString('en');
const kB = (bytes: number): string => (bytes / 1000).toFixed(1);
const times = (ratio: number): string => (Number.isNaN(ratio) ? nothing : `${ratio.toFixed(2)} x`);
const titleOf = (id: string): string => subjects.find((subject) => subject.id === id)?.title ?? id;

type Scene = 'options' | 'click' | 'resume';
const mid = (moments: readonly Moment[] | undefined): number => median((moments ?? []).map(({ ms }) => ms));
const ratio = ({ subjects: all }: BrowserResult, id: string, scene: Scene): number =>
  mid(all[id]?.[scene]) / mid(all['lit-floor']?.[scene]);
const waiting = ({ subjects: all }: BrowserResult, id: string): number => median(all[id]?.waiting ?? []);
const waitingRatio = (result: BrowserResult, id: string): number =>
  waiting(result, id) / waiting(result, 'text-update');

function timeCells(result: BrowserResult, id: string, scene: Scene): string[] {
  const moments = result.subjects[id]?.[scene] ?? [];
  if (moments.length === 0) return [nothing, nothing];
  const [least, most] = spread(moments.map(({ ms }) => ms));
  return [`${whole(mid(moments))} (${whole(least)}-${whole(most)})`, times(ratio(result, id, scene))];
}

function timeTable(result: BrowserResult): string {
  const scenes = ['options', 'click', 'resume'] as const;
  const rows = Object.keys(result.subjects)
    .filter((id) => scenes.some((scene) => result.subjects[id]?.[scene].length))
    .map((id) => [titleOf(id), ...scenes.flatMap((scene) => timeCells(result, id, scene))]);
  return table(
    ['', 'methods, ms', 'of Lit', 'click to QR, ms', 'of Lit', 'QR of a waiting invoice, ms', 'of Lit'],
    rows,
  );
}

function costCells(moments: readonly Moment[]): string {
  if (moments.length === 0) return nothing;
  return `${median(moments.map(({ requests }) => requests))} / ${kB(median(moments.map(({ bytes }) => bytes)))}`;
}

function costRow(id: string, { options, click, resume }: SubjectResult): string[] {
  const script = median(resume.map(({ scriptMs }) => scriptMs));
  const heap = median(resume.map(({ heapBytes }) => heapBytes));
  return [titleOf(id), costCells(options), costCells(click), costCells(resume), whole(script), (heap / 1e6).toFixed(2)];
}

function costTable({ subjects: all }: BrowserResult): string {
  const rows = Object.entries(all)
    .filter(([, { resume }]) => resume.length > 0)
    .map(([id, one]) => costRow(id, one));
  const head = [
    '',
    'methods',
    'from the click',
    'QR of a waiting invoice',
    'script until that QR, ms',
    'heap then, MB',
  ];
  return table(head, rows);
}

function waitingTable(result: BrowserResult): string {
  const rows = Object.entries(result.subjects)
    .filter(([, one]) => one.waiting.length > 0)
    .map(([id]) => [titleOf(id), whole(waiting(result, id)), times(waitingRatio(result, id))]);
  return table(['', 'processor time, ms a minute', 'of a text update'], rows);
}

interface Target {
  readonly what: string;
  readonly most: number;
  readonly reached: number;
}

function targetsOf(result: BrowserResult): readonly Target[] {
  const of = (id: string, scene: Scene): number => ratio(result, id, scene);
  return [
    { what: 'methods, of the Lit floor', most: 1.15, reached: of('pay-invoice', 'options') },
    { what: 'click to QR, of the Lit floor', most: 1.25, reached: of('pay-invoice', 'click') },
    { what: 'QR of a waiting invoice, of the Lit floor', most: 1.25, reached: of('pay-invoice', 'resume') },
    {
      what: 'the same with `initial` in the page',
      most: 1.25,
      reached: of('pay-invoice-initial', 'resume'),
    },
    { what: 'waiting, of a text update', most: 1.5, reached: waitingRatio(result, 'pay-invoice') },
  ];
}

function targetTable(result: BrowserResult): string {
  const rows = targetsOf(result).map(({ what, most, reached }) => [
    what,
    `at most ${most.toFixed(2)} x`,
    times(reached),
    reached <= most ? 'holds' : 'does not hold',
  ]);
  return table(['`<pay-invoice>`', 'target', 'measured', ''], rows);
}

/** The figures alone, for the terminal. */
export function browserTables(result: BrowserResult): string {
  return [timeTable(result), costTable(result), waitingTable(result), targetTable(result)].join('\n\n');
}

function circumstances({ command, date, machine, loadAverage, node }: BrowserResult): string {
  return `- command: \`${command}\`
- date: ${date}; Node ${node}
- machine: ${machine}
- load average before the run: ${loadAverage}; above 0 means that others used the machine too`;
}

function filesOf(result: BrowserResult): string {
  const scripted = Object.entries(result.subjects).filter(([id]) => !/initial|text-update|static/.test(id));
  const rows = scripted.map(([id, { files }]) => {
    const sizes = Object.entries(files).map(([name, size]): [string, number] => [
      name.replace(/^assets\//, '').replace(/-[\w-]{8}(?=\.\w+$)/, ''),
      size,
    ]);
    return [titleOf(id), sizes.map(([name, size]) => `${name} ${kB(size)}`).join(', ')];
  });
  return table(['', 'kB in gzip'], rows);
}

function browserPart(result: BrowserResult): string {
  const versions = Object.entries(result.versions).map(([name, version]) => `${name} ${version}`);
  const runs = result.subjects['pay-invoice']?.resume.length ?? 0;
  return `## The browser bench

${circumstances(result)}
- browser: ${result.browser}, headless; ${versions.join(', ')}

${targetTable(result)}

The QR of a waiting invoice comes one round trip after the floor's: its encoder is asked for when the first answer says that there is a QR,
so that it never stands in the way of the methods. A page that knows that an invoice waits gives it in \`initial\`.

### Times

Medians of ${runs} runs, with the least and the greatest; "of Lit" is the ratio to the bare Lit element.

${timeTable(result)}

### What it takes

Requests / kB over the wire until the moment of the table above: begun by then / complete by then, headers included. Medians.

${costTable(result)}

### Waiting

The tasks of the page's main thread over ${result.waitSeconds} s, one subject after the other, once each.

${waitingTable(result)}

### The files

All that a subject may load, needed or not.

${filesOf(result)}

### How it is measured

- **Network and processor** by the DevTools protocol: "Slow 4G" of Chrome's DevTools (${network.latency} ms before each answer's first byte,
  ${whole(network.downloadThroughput)} bytes/s down, ${whole(network.uploadThroughput)} bytes/s up), the processor ${cpuRate} times slower; cache disabled, HTTP/1.1 with gzip, a
  viewport of ${viewport.width} x ${viewport.height}. One local server has everything; each API call and page costs it ${serverDelayMs} ms. Nothing goes to another host: a
  page that asks one fails the run.
- **Turns**: a fresh browser context for each page, the subjects in turn (A B C, A B C, …), after one turn that does not count.
- **Seen** is decided in the page, by the same probe for all: once a frame it looks, through open shadow roots, for the subject's methods
  (three) or QR, until they have a box in the viewport and are neither hidden nor transparent, images loaded, a canvas not of one colour.
  The time is that of the frame after. The click is a real one, ${idleBeforeMeasureMs / 1000} s after the methods were seen; the first method is selected
  from the start.
- **A QR counts when it is read**: after each visit a scanner reads it from a screenshot, and a page that logged an error fails the run.
- **Script** is \`ScriptDuration\` of the main thread in thread time, the probe's share included (the static page has nothing else). **Heap** is what
  lives after two collections. **Waiting** is \`TaskDuration\` in thread time, at full speed: DevTools slow the processor down in slices that are
  longer than these tasks, and hit some of them.
- **Builds**: ours is \`dist/cdn\` by one script tag. Each other subject is built alone by Vite with the same minification (twice, as ours), imports
  tree-shaken as its documents advise: sl-qr-code by its own path; adyen-web with the three methods registered that are shown, analytics
  off, in the language of its bundle; bitcoin-connect by its one entry.

### The floors

- **A bare Lit element** fetches options, renders them, asks for an invoice, and draws its QR with the encoder that we use, which it requests before
  it knows whether it will need it. It checks nothing, counts nothing, polls every 2 s, and fails at the first error.
- **Static HTML** is written by a server that knows everything: a form, then a page with the QR inside.
- **A text update** is a page that writes the time left once a second.

### What is not comparable

- **adyen-web** is a checkout for many methods, most of which are forms with secured fields; here it has three that need none. Its QR is a picture
  that its server draws, asked for after a first look at the payment's status: two round trips by design. The bench server answers its risk and
  analytics calls with next to nothing, which is kinder than the real ones. Its PromptPay has a countdown and asks every 2 s.
- **bitcoin-connect** is above all a wallet connector: most of what it loads is for that. It has no methods to choose from, so only its payment view
  is measured, with an invoice of the Lightning network; the page fetches that, and asks every 2 s whether it is paid, as its README advises.
- **sl-qr-code** is a QR and nothing else; the page fetches the link. It has nothing to wait with.
- Ours waits by held answers (25 s), with a countdown of seconds, another tab's turn, and the device's sleep watched.
- A headless browser composites in software; what animations cost there is in no figure of the main thread.`;
}

/** At least this much of the bare framework's status reads. */
const serverTarget = 0.8;

function serverPart({
  date,
  node,
  machine,
  loadAverage,
  rounds,
  secondsOfWindow,
  connections,
  cases,
}: ServerBench): string {
  const rows = cases.flatMap(({ name, subjects }) =>
    subjects.map((subject) => [
      name,
      subject.name,
      whole(subject.requestsPerSecond),
      times(subject.ofHono.throughput),
      String(subject.processorMicrosecondsPerRequest),
      times(subject.ofHono.processor),
    ]),
  );
  const targets = cases
    .filter(({ name }) => name.startsWith('status read'))
    .map(({ name, subjects }) => {
      const share = subjects.find((subject) => subject.name === 'checkout server')?.ofHono.throughput ?? NaN;
      return [name, `at least ${times(serverTarget)}`, times(share), share >= serverTarget ? 'holds' : 'does not hold'];
    });
  return `## The server bench

- command: \`npm run bench:server -- --write\`
- date: ${date}; Node ${node}
- machine: ${machine.cores} cores (${machine.model}), ${machine.memoryGigabytes} GB
- load average before the run: ${loadAverage}; above 0 means that others used the machine too

${table(['the checkout server, requests a second of bare Hono', 'target', 'measured', ''], targets)}

A 304 is what a waiting payer's polls get, again and again, from memory. A 200 is for who has seen nothing yet, or something else: it is read
from the database.

Medians of ${rounds} rounds; in each the subjects take turns, ${secondsOfWindow} s a case, over ${connections} connections from a process of its own.

${table(['', '', 'requests/s', 'of Hono', 'processor, µs a request', 'of Hono'], rows)}

- **hono** is the bare framework with its Node adapter: it reads the path, the validator and a create's body, and gives an answer that was made before.
- **node:http** is Node.js alone with the same answers.
- **checkout server** is the whole: capability, limits, origin, store and headers; a create writes its intent and its invoice to the
  embedded database, with the disk's consent, and calls a service that answers at once. **In hono** it is mounted in a Hono application.`;
}

/** The whole document, out of the results that there are. */
export function pageOf(): string {
  const browser = read('results/browser.json') as BrowserResult | undefined;
  const server = read('results/server.json') as ServerBench | undefined;
  return `# Benchmarks

Written by \`npm run bench\` from the results in \`test/bench/results\`; no number is typed by hand. A target that is missed is told as it was
measured. Ratios within a run are what to look at: absolute times are of this machine.

${[browser && browserPart(browser), server && serverPart(server)].filter((part) => part !== undefined).join('\n\n')}

## Run it again

\`npm run bench\` installs the peers into \`test/bench\` (they are no dependencies of the project), builds the standalone file and the subjects, and takes
about 20 minutes. \`npm run bench -- --quick\` is one run with short waits, \`--only pay-invoice,lit-floor\` some subjects, \`--runs 3\` fewer
runs; \`--quick\` and \`--only\` print their tables and write nothing. \`npm run bench:server -- --write\` takes about two minutes.
`;
}

export function writePage(): void {
  writeFileSync(place('../../docs/benchmarks.md'), pageOf());
}
