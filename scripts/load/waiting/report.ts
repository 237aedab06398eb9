// The figures of a run with waiting payers as test/bench/results/waiting.json and as docs/development/waiting-payers.md.
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { hardware } from '../../describe-hardware.ts';
import { table } from '../../markdown-table.ts';
import type { WaitingResult, WaitingStep } from './run-waiting-payers.ts';

/** The content of test/bench/results/waiting.json. */
export interface RecordedWaiting extends WaitingResult {
  readonly command: string;
  readonly date: string;
  readonly node: string;
  readonly machine: string;
  readonly loadAverage: string;
}

const maxKilobytes = 12;
const maxPaidMs = 3000;
const million = 1_000_000;

export function recordWaiting(result: WaitingResult, command: string, loadAverage: string): RecordedWaiting {
  const date = new Date().toISOString().slice(0, 10);
  return { command, date, node: process.version, machine: hardware(), loadAverage, ...result };
}

export function writeWaiting(recordedWaiting: RecordedWaiting): void {
  writeFileSync('test/bench/results/waiting.json', `${JSON.stringify(recordedWaiting, null, 2)}\n`);
  writeFileSync('docs/development/waiting-payers.md', formatWaitingPage(recordedWaiting));
}

const formatInteger = (value: number): string => Math.round(value).toLocaleString('en');

type MemoryKey = 'residentMegabytes' | 'heapMegabytes';

/**
 * The memory in kilobytes of each payer since the first step; in the first step, since the start. In the first step the servers run
 * and compile all of their code, which takes much more memory than its payers do.
 */
function kilobytesPerPayer(step: WaitingStep, { idle, steps }: WaitingResult, key: MemoryKey): number {
  const [firstStep = step] = steps;
  const base = step === firstStep ? { ...idle, payers: 0 } : firstStep;
  return ((step[key] - base[key]) * 1024) / (step.payers - base.payers);
}

function formatStepRow(step: WaitingStep, result: WaitingResult): readonly string[] {
  const { paidToPayerMs, cpu } = step;
  const formatMemory = (key: MemoryKey): string => `${kilobytesPerPayer(step, result, key).toFixed(1)} kB`;
  return [
    formatInteger(step.payers),
    formatInteger(step.held),
    formatMemory('residentMegabytes'),
    formatMemory('heapMegabytes'),
    `${step.notified} of ${step.paid}`,
    `${formatInteger(paidToPayerMs.p50)} / ${formatInteger(paidToPayerMs.p99)} ms`,
    String(step.fetchCallsPerSecond),
    formatInteger(step.responsesPerSecond),
    String(step.errors),
    `${cpu.servers} / ${cpu.sandbox} / ${cpu.payers} / ${cpu.others} %`,
  ];
}

const columns = [
  'payers',
  'long polls held',
  'resident memory a payer',
  'heap a payer',
  'paid, and notified',
  'payment to payer, p50 / p99',
  'FetchInvoices a second',
  'responses a second',
  'errors',
  'processor: servers / sandbox / payers / others',
];

export function formatWaitingPage(recordedWaiting: RecordedWaiting): string {
  const { options, idle, steps, bareServer } = recordedWaiting;
  const lastStep = steps.at(-1);
  const firstStep = steps[0];
  if (lastStep === undefined || firstStep === undefined) return '';
  return `# Many payers who wait

Written by \`npm run load\` from \`test/bench/results/waiting.json\`; no figure is typed by hand.

${options.processes} standalone servers on one PostgreSQL (fsync on) hold a long poll of ${options.waitSeconds} s for each payer. The sandbox, PostgreSQL and
the simulated payers share the machine's cores with them. In each step more payers open their pages,
${formatInteger(options.opensPerSecond)} a second; ${options.waitSeconds} s after the last, ${options.sample} invoices are paid in ${options.seconds} s. ${options.hooks ? "The sandbox's webhooks go to one of the servers, rarely the one that holds the payer's request." : 'No webhook reaches the servers: the status poller alone notices payments.'}
The checkouts and their invoices were created in bulk before, as if each had been fetched once. The memory is what the servers
need after a garbage collection, for each payer since the first step; in the first step most of it is for code that runs for the first time.

- command: \`${recordedWaiting.command}\`
- date: ${recordedWaiting.date}; Node ${recordedWaiting.node}
- machine: ${recordedWaiting.machine}
- load average before the run: ${recordedWaiting.loadAverage}; above 0 means that others used the machine too
- servers without payers: ${formatInteger(idle.residentMegabytes)} MB resident, ${formatInteger(idle.heapMegabytes)} MB of heap, all together; with ${formatInteger(firstStep.payers)}
  payers, once all of their code has run: ${formatInteger(firstStep.residentMegabytes)} MB and ${formatInteger(firstStep.heapMegabytes)} MB
- a bare node:http server, which only holds the requests of ${formatInteger(bareServer.payers)} payers: ${bareServer.kilobytesPerPayer.resident.toFixed(1)} kB resident and ${bareServer.kilobytesPerPayer.heap.toFixed(1)} kB of
  heap for each

${table(
  columns,
  steps.map((step) => formatStepRow(step, recordedWaiting)),
)}

${targetsSection(recordedWaiting, lastStep)}
${limitsSection(recordedWaiting, lastStep)}
${extrapolationSection(recordedWaiting, lastStep)}`;
}

function targetsSection(recordedWaiting: RecordedWaiting, lastStep: WaitingStep): string {
  const kilobytes = kilobytesPerPayer(lastStep, recordedWaiting, 'residentMegabytes');
  const bareKilobytes = recordedWaiting.bareServer.kilobytesPerPayer.resident;
  const verdict = (isMet: boolean): string => (isMet ? 'holds' : 'does not hold');
  return `Targets, with ${formatInteger(lastStep.payers)} payers:

${table(
  ['target', 'measured', ''],
  [
    [
      `at most ${maxKilobytes} kB of resident memory a payer`,
      `${kilobytes.toFixed(1)} kB; a bare node:http server ${bareKilobytes.toFixed(1)} kB`,
      verdict(kilobytes <= maxKilobytes),
    ],
    [
      `a payment reaches its payer within ${formatInteger(maxPaidMs)} ms, p99`,
      `${formatInteger(lastStep.paidToPayerMs.p99)} ms`,
      verdict(lastStep.paidToPayerMs.p99 <= maxPaidMs),
    ],
    [
      'every payer who paid is notified',
      `${lastStep.notified} of ${lastStep.paid}`,
      verdict(lastStep.notified === lastStep.paid),
    ],
    ['no request fails', `${lastStep.errors} errors`, verdict(lastStep.errors === 0)],
  ],
)}
`;
}

/** Seconds in which the status pollers fetch each of the payers' invoices once. */
const roundSeconds = (payers: number, callsPerSecond: number): number => payers / (callsPerSecond * 100);

function limitsSection({ options }: RecordedWaiting, lastStep: WaitingStep): string {
  return `## What limits the number

- **A process** holds at most 20,000 long polls (\`limits.waiters\`), and as many connections as it may have open files
  (\`ulimit -n\`). Beyond them a payer's request is answered at once, and the widget polls instead.
- **FetchInvoices**: ${lastStep.fetchCallsPerSecond} calls a second of at most 100 invoices fetch ${formatInteger(lastStep.payers)} invoices once in ${formatInteger(roundSeconds(lastStep.payers, lastStep.fetchCallsPerSecond))} s. Without
  webhooks a payer is notified of a payment after up to that time. With webhooks the invoice is fetched before all others that
  are due, so that the length of the queue does not matter.
- **The processor** of this machine: two cores for servers, PostgreSQL, sandbox and payers. \`INVOICE_FETCHES_PER_SECOND\`
  (${options.fetchesPerSecond ?? 60} for each server in this run) limits what the polling costs.
`;
}

function extrapolationSection(recordedWaiting: RecordedWaiting, lastStep: WaitingStep): string {
  const { options, steps } = recordedWaiting;
  const kilobytes = kilobytesPerPayer(lastStep, recordedWaiting, 'residentMegabytes');
  const processes = Math.ceil(million / 19_000);
  const idleMegabytesPerServer = (steps[0] ?? lastStep).residentMegabytes / options.processes;
  const gigabytes = (kilobytes * million) / 2 ** 20 + (processes * idleMegabytesPerServer) / 1024;
  const factor = million / lastStep.payers;
  const requests = million / options.waitSeconds;
  const cores = (lastStep.cpu.servers / 100) * factor;
  return `## A million payers: an estimate

Computed from the last step; none of it was measured.

- **Processes**: ${processes} with 19,000 long polls each, and ${gigabytes.toFixed(0)} GB of memory for all of them.
- **Requests**: a long poll every ${options.waitSeconds} s for each payer are ${formatInteger(requests)} responses a second. At the servers' processor time of the last step,
  which includes their share of the polling, these are ${cores.toFixed(0)} cores.
- **FetchInvoices**: one fetch of each invoice every 2 s would be ${formatInteger(million / 200)} calls a second; no service allows that. With webhooks the
  status poller is needed only where a webhook is lost: at 60 calls a second, each invoice is fetched every ${formatInteger(roundSeconds(million, 60))} s.
- **PostgreSQL**: each fetch updates the invoice's row in \`schedules\` twice, ${formatInteger(60 * 100 * 2)} updates a second at that rate, however many
  payers wait. ${processes} processes have up to ${processes * 11} connections: a pooler such as PgBouncer (session mode, because of \`LISTEN\`) or a
  smaller pool is needed. Every save is announced to all processes: ${processes} messages for each payment.
`;
}
