// docs/benchmarks.md out of results/*.json: no number of it is typed by hand.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerBench } from '../../scripts/bench-server/report.ts';
import { table } from '../../scripts/markdown-table.ts';
import { serverDelayMs } from './subject-server.ts';
import type { BrowserResult } from './browser-result.ts';
import { filesTable, profileTables, targetTable, times, waitingTable, whole } from './browser-tables.ts';
import { idleBeforeMeasureMs } from './measure-subject.ts';
import { profileIds, profiles, type ProfileId } from './profiles.ts';
import { rows } from './targets.ts';
import { viewport } from './throttled-visit.ts';

const place = (path: string): URL => new URL(path, import.meta.url);

function read(path: string): unknown {
  return existsSync(place(path)) ? JSON.parse(readFileSync(place(path), 'utf8')) : undefined;
}

function describeProfile(id: ProfileId): string {
  const { title, latency, downloadThroughput, uploadThroughput, cpuRate } = profiles[id];
  return `${title} (${latency} ms before each answer's first byte, ${whole(downloadThroughput)} bytes/s down, ${whole(uploadThroughput)} bytes/s up, the processor ${cpuRate} times slower)`;
}

function circumstances({ command, date, machine, loadAverage, node }: BrowserResult): string {
  return `- command: \`${command}\`
- date: ${date}; Node ${node}
- machine: ${machine}
- load average before the run: ${loadAverage}; above 0 means that others used the machine too`;
}

function browserPart(result: BrowserResult): string {
  const versions = Object.entries(result.versions).map(([name, version]) => `${name} ${version}`);
  const note = result.note === undefined ? '' : `\n- **note**: ${result.note}`;
  const each = profileIds.flatMap((id) => {
    const one = result.profiles[id];
    return one ? [profileTables(id, one)] : [];
  });
  return `## The browser bench

${circumstances(result)}
- browser: ${result.browser}, headless; ${versions.join(', ')}${note}

Ratios to the floor of the same run; a target that is missed fails the bench.

${targetTable(result)}

${each.join('\n\n')}

### Waiting

The tasks of the page's main thread over ${result.waitSeconds} s, one subject after the other, once each.

${waitingTable(result)}

### The files

All that a subject may load, needed or not.

${filesTable(result)}

### How it is measured

- **Network and processor** by the DevTools protocol, in two profiles: ${profileIds.map(describeProfile).join('; ')}.
  The cache is disabled, HTTP/1.1 with gzip, a viewport of ${viewport.width} x ${viewport.height}. One local server has everything; each API call and
  page costs it ${serverDelayMs} ms. Nothing goes to another host: a page that asks one fails the run.
- **Turns**: a fresh browser context for each page, the subjects in turn (A B C, A B C, …), after one turn that does not count. Only the
  second visit has a browser context in which the same page was open before.
- **Seen** is decided in the page, by the same probe for all: once a frame it looks, through open shadow roots, for the subject's methods
  (three) or QR, until they have a box in the viewport and are neither hidden nor transparent, images loaded, a canvas not of one colour.
  The time is that of the frame after. The click is a real one, ${idleBeforeMeasureMs / 1000} s after the methods were seen; the first method is selected
  from the start.
- **A QR counts when it is read**: after each visit a scanner reads it from a screenshot, and a page that logged an error fails the run.
- **Main thread** is \`TaskDuration\` in thread time, the probe's share included (the static page has nothing else). **Heap** is what
  lives after two collections. **Waiting** is \`TaskDuration\` in thread time, at full speed: DevTools slow the processor down in slices that are
  longer than these tasks, and hit some of them.
- **Announced** are the modules of the snippet for merchants by \`modulepreload\`, and the checkout's JSON by \`preload\`. **Rendered on the
  server** is the package's own build by \`@lit-labs/ssr\`, with the file for a CDN behind it.
- **Builds**: ours is \`dist/cdn\` by one script tag. Each other subject is built alone by Vite with the same minification (twice, as ours), imports
  tree-shaken as its documents advise: sl-qr-code by its own path; adyen-web with the three methods registered that are shown, analytics
  off, in the language of its bundle; bitcoin-connect by its one entry.

### The floors

- **A bare Lit element with options** fetches options, renders them, then loads the encoder that we use, asks for an invoice after a click,
  and draws its QR. **With a QR**, another element in one file with the encoder fetches an invoice that waits and draws it. They check nothing,
  count nothing, poll every 2 s, and fail at the first error.
- **Static HTML** is written by a server that knows everything: a form, then a page with the QR inside.
- **A text update** is a page that writes the time left once a second and polls every 2 s.

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

/** At most this much of the processor time of a hono route with one SELECT. */
const selectTarget = 2;

/** The rows of the targets that the checkout server has, with what was measured. */
function serverTargets(cases: ServerBench['cases']): readonly (readonly string[])[] {
  const verdict = (holds: boolean): string => (holds ? 'holds' : 'does not hold');
  return cases.flatMap(({ name, subjects }) => {
    const server = subjects.find((subject) => subject.name === 'checkout server');
    if (server === undefined || !name.startsWith('status read')) return [];
    const { throughput } = server.ofHono;
    const ofSelect = server.processorOfSelect;
    const reads = [
      `${name}: requests a second, of bare Hono`,
      `at least ${times(serverTarget)}`,
      times(throughput),
      verdict(throughput >= serverTarget),
    ];
    if (ofSelect === undefined) return [reads];
    const costs = `${name}: processor time, of a Hono route with one primary-key SELECT`;
    return [[costs, `at most ${times(selectTarget)}`, times(ofSelect), verdict(ofSelect <= selectTarget)]];
  });
}

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
  const lines = cases.flatMap(({ name, subjects }) =>
    subjects.map((subject) => [
      name,
      subject.name,
      whole(subject.requestsPerSecond),
      times(subject.ofHono.throughput),
      String(subject.processorMicrosecondsPerRequest),
      times(subject.ofHono.processor),
      subject.processorOfSelect === undefined ? '' : times(subject.processorOfSelect),
    ]),
  );
  return `## The server bench

- command: \`npm run bench:server -- --write\`
- date: ${date}; Node ${node}
- machine: ${machine.cores} cores (${machine.model}), ${machine.memoryGigabytes} GB
- load average before the run: ${loadAverage}; above 0 means that others used the machine too

${table(['the checkout server', 'target', 'measured', ''], serverTargets(cases))}

A 304 is what a waiting payer's polls get, again and again, from memory. A 200 is for who has seen nothing yet, or something else: it is read
from the database.

Medians of ${rounds} rounds; in each the subjects take turns, ${secondsOfWindow} s a case, over ${connections} connections from a process of its own.

${table(['', '', 'requests/s', 'of Hono', 'processor, µs a request', 'of Hono', 'of a SELECT'], lines)}

- **hono** is the bare framework with its Node adapter: it reads the path, the validator and a create's body, and gives an answer that was made before.
- **node:http** is Node.js alone with the same answers.
- **hono with a SELECT** reads one row of the same database by its primary key with the same driver, and answers it by \`JSON.stringify\`: the
  least that a first read can cost. It checks nothing, and its row has no invoice. "Of a SELECT" is the median of the rounds' ratios.
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

\`npm run bench\` installs the peers into \`test/bench\` (they are no dependencies of the project), builds the package and the subjects, and takes
about an hour for both profiles on a machine that does nothing else; it ends with 1 and the names of the rows where a target is missed. \`npm run
bench -- --profile M --rows options-plain,qr-plain --runs 9\` measures some rows (${rows.map(({ id }) => id).join(', ')}),
\`--only pay-invoice,lit-floor\` some subjects, \`--quick\` is one run with short waits; a part prints its tables and writes nothing.
\`npm run bench:server -- --write\` takes about two minutes.
`;
}

export function writePage(): void {
  writeFileSync(place('../../docs/benchmarks.md'), pageOf());
}
