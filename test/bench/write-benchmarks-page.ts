// Writes docs/development/benchmarks.md from results/*.json. No number in it is typed by hand.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { serverDelayMs } from './subject-server.ts';
import type { BrowserResult } from './browser-result.ts';
import { formatFilesTable, formatProfileTables, formatTargetTable, formatWhole } from './browser-tables.ts';
import { idleBeforeMeasureMs } from './measure-subject.ts';
import { profileIds, profiles, type ProfileId } from './profiles.ts';
import { targetRows } from './targets.ts';
import { viewport } from './throttled-visit.ts';

const resolveUrl = (path: string): URL => new URL(path, import.meta.url);

function readResult(path: string): unknown {
  return existsSync(resolveUrl(path)) ? JSON.parse(readFileSync(resolveUrl(path), 'utf8')) : undefined;
}

function describeProfile(id: ProfileId): string {
  const { title, latency, downloadThroughput, uploadThroughput, cpuRate } = profiles[id];
  return `${title} (${latency} ms before each answer's first byte, ${formatWhole(downloadThroughput)} bytes/s down, ${formatWhole(uploadThroughput)} bytes/s up, the processor ${cpuRate} times slower)`;
}

function describeRun({ command, date, machine, loadAverage, node }: BrowserResult): string {
  return `- command: \`${command}\`
- date: ${date}; Node ${node}
- machine: ${machine}
- load average before the run: ${loadAverage}; above 0 means that others used the machine too`;
}

function formatBrowserPart(result: BrowserResult): string {
  const versions = Object.entries(result.versions).map(([name, version]) => `${name} ${version}`);
  const note = result.note === undefined ? '' : `\n- **note**: ${result.note}`;
  const profileSections = profileIds.flatMap((id) => {
    const profileResult = result.profiles[id];
    return profileResult ? [formatProfileTables(id, profileResult)] : [];
  });
  return `## The browser bench

${describeRun(result)}
- browser: ${result.browser}, headless; ${versions.join(', ')}${note}

Ratios to the floor of the same run; a target that is missed fails the bench.

${formatTargetTable(result)}

${profileSections.join('\n\n')}

### The files

All files that a subject may load, also those that these pages do not need.

${formatFilesTable(result)}

### How it is measured

- **Network and processor** by the DevTools protocol, in two profiles: ${profileIds.map(describeProfile).join('; ')}.
  The cache is disabled, HTTP/1.1, scripts and styles in brotli as our server and the CDNs send them, the rest in gzip, a viewport of ${viewport.width} x ${viewport.height}. One local server serves everything; each API call and
  page takes it ${serverDelayMs} ms. A page that sends a request to another host fails the run.
- **Order**: each page has a new browser context. The subjects alternate (A B C, A B C, …), after a first round that does not count.
- **Seen** is measured in the page, by the same probe for all subjects. In each frame it searches, through open shadow roots, for the subject's
  three methods, its QR code or its requisites, until they have a box in the viewport and are neither hidden nor transparent; images must be loaded, and a
  canvas must have more than one colour. The time is that of the next frame. The click is a real one, ${idleBeforeMeasureMs / 1000} s after the methods were seen; the
  first method is selected from the start.
- **A QR code must be readable**: after each visit a scanner reads it from a screenshot. A page that logged an error fails the run.
- **Main thread** is \`TaskDuration\` in thread time, including the probe (the static page runs nothing else). **Heap** is the
  memory in use after two garbage collections.
- **From a click to its request**: the page clicks in the frame in which it sees the methods, and its \`fetch\` tells when the request is sent.
- **JSON announced**: the page requests the checkout by \`<link rel="preload">\`, as the snippet for merchants does. **Rendered on the
  server** is the package's own build by \`@lit-labs/ssr\`; the page then loads the file for a CDN.
- **Builds**: ours is \`dist/cdn\` by one script tag. Each other subject is built alone by Vite with the same minification, imports
  tree-shaken as its documents advise: adyen-web with the three methods registered that are shown, analytics off, in the language
  of its bundle.

### The floors

- **A bare Lit element with options** fetches options, renders them, then loads the encoder that we use, requests an invoice after a click,
  and draws its QR code. **With a QR** is another element, in one file with the encoder: it fetches a pending invoice and draws it. Both validate
  nothing, have no countdown, poll every 2 s, and fail at the first error.
- **Static HTML** is rendered completely by a server: a form, then a page that contains the QR code.

### What is not comparable

- **adyen-web** is a checkout for many methods, most of which are forms with secured fields; here it has three that need none. Its QR code is
  an image from its server, requested after a first request for the payment's status: two round trips by design. The bench server answers its risk
  and analytics calls with almost empty bodies, which are smaller than the real ones. Its PromptPay has a countdown and polls every 2 s.
- \`<pay-invoice>\` waits by long polls of 25 s, with a countdown of seconds, coordination between tabs, and detection of the device's sleep.
- A headless browser composites in software; the cost of animations is in none of the figures for the main thread.`;
}

/** Formats the whole document from the results that exist. */
export function formatBenchmarksPage(): string {
  const browser = readResult('results/browser.json') as BrowserResult | undefined;
  return `# Benchmarks

Written by \`npm run bench\` from the results in \`test/bench/results\`; no number is typed by hand. A missed target is
shown as it was measured. Compare the ratios within a run: absolute times depend on the machine.

${browser === undefined ? '' : formatBrowserPart(browser)}

## Run it again

\`npm run bench\` installs the peers into \`test/bench\` (they are no dependencies of the project), builds the package and the subjects, and takes
about an hour for both profiles on an idle machine. When a target is missed, it exits with 1 and prints the names of those rows. \`npm run
bench -- --profile M --rows options-plain,qr-plain --runs 9\` measures some rows (${targetRows.map(({ id }) => id).join(', ')}),
\`--only pay-invoice,lit-floor\` some subjects, \`--quick\` is one run with short waits; a partial run prints its tables and writes nothing.

Other pages with figures: [the load run](load.md) and [many payers who wait](waiting-payers.md).
`;
}

export function writeBenchmarksPage(): void {
  writeFileSync(resolveUrl('../../docs/development/benchmarks.md'), formatBenchmarksPage());
}
