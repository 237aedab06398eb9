// The figures of a run with waiting payers as test/bench/results/waiting.json and as docs/waiting-payers.md.
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { hardware } from '../../describe-hardware.ts';
import { table } from '../../markdown-table.ts';
import type { WaitingResult, WaitingStep } from './run-waiting-payers.ts';

/** What test/bench/results/waiting.json holds. */
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

export function writeWaiting(recorded: RecordedWaiting): void {
  writeFileSync('test/bench/results/waiting.json', `${JSON.stringify(recorded, null, 2)}\n`);
  writeFileSync('docs/waiting-payers.md', waitingPage(recorded));
}

const whole = (value: number): string => Math.round(value).toLocaleString('en');

/** Kilobytes of a memory for each payer, beyond what the servers need without payers. */
function kilobytesOf(megabytes: number, idleMegabytes: number, payers: number): number {
  return ((megabytes - idleMegabytes) * 1024) / payers;
}

function stepRow(step: WaitingStep, { idle }: WaitingResult): readonly string[] {
  const { paidToPayerMs, cpu } = step;
  return [
    whole(step.payers),
    whole(step.held),
    `${kilobytesOf(step.residentMegabytes, idle.residentMegabytes, step.payers).toFixed(1)} kB`,
    `${kilobytesOf(step.heapMegabytes, idle.heapMegabytes, step.payers).toFixed(1)} kB`,
    `${step.notified} of ${step.paid}`,
    `${whole(paidToPayerMs.p50)} / ${whole(paidToPayerMs.p99)} ms`,
    String(step.fetchCallsPerSecond),
    whole(step.responsesPerSecond),
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

export function waitingPage(recorded: RecordedWaiting): string {
  const { options, idle, steps } = recorded;
  const last = steps.at(-1);
  const first = steps[0];
  if (last === undefined || first === undefined) return '';
  return `# Many payers who wait

Written by \`npm run load\` from \`test/bench/results/waiting.json\`; no figure is typed by hand.

${options.processes} standalone servers on one PostgreSQL (fsync on) hold a long poll of ${options.waitSeconds} s for each payer. The sandbox, PostgreSQL and
the simulated payers share the machine's cores with them. In each step more payers open their pages, then ${options.sample} invoices are
paid in ${options.seconds} s. ${options.hooks ? "The sandbox's webhooks go to one of the servers, rarely the one that holds the payer's request." : 'No webhook reaches the servers: the status poller alone notices payments.'}
The checkouts and their invoices were created in bulk before.

- command: \`${recorded.command}\`
- date: ${recorded.date}; Node ${recorded.node}
- machine: ${recorded.machine}
- load average before the run: ${recorded.loadAverage}; above 0 means that others used the machine too
- servers without payers: ${whole(idle.residentMegabytes)} MB resident, ${whole(idle.heapMegabytes)} MB of heap, all together

${table(
  columns,
  steps.map((step) => stepRow(step, recorded)),
)}

${targets(recorded, last)}
${limits(recorded, last)}
${extrapolation(recorded, last)}`;
}

function targets(recorded: RecordedWaiting, last: WaitingStep): string {
  const kilobytes = kilobytesOf(last.residentMegabytes, recorded.idle.residentMegabytes, last.payers);
  const verdict = (holds: boolean): string => (holds ? 'holds' : 'does not hold');
  return `Targets, with ${whole(last.payers)} payers:

${table(
  ['target', 'measured', ''],
  [
    [
      `at most ${maxKilobytes} kB of resident memory a payer`,
      `${kilobytes.toFixed(1)} kB`,
      verdict(kilobytes <= maxKilobytes),
    ],
    [
      `a payment reaches its payer within ${whole(maxPaidMs)} ms, p99`,
      `${whole(last.paidToPayerMs.p99)} ms`,
      verdict(last.paidToPayerMs.p99 <= maxPaidMs),
    ],
    ['every payer who paid is notified', `${last.notified} of ${last.paid}`, verdict(last.notified === last.paid)],
    ['no request fails', `${last.errors} errors`, verdict(last.errors === 0)],
  ],
)}
`;
}

/** Seconds in which the status pollers fetch each of the payers' invoices once. */
const roundSeconds = (payers: number, callsPerSecond: number): number => payers / (callsPerSecond * 100);

function limits({ options }: RecordedWaiting, last: WaitingStep): string {
  return `## What limits the number

- **A process** holds at most 20,000 long polls (\`limits.waiters\`), and as many connections as it may have open files
  (\`ulimit -n\`). Beyond them a payer's request is answered at once, and the widget polls instead.
- **FetchInvoices**: ${last.fetchCallsPerSecond} calls a second of at most 100 invoices fetch ${whole(last.payers)} invoices once in ${whole(roundSeconds(last.payers, last.fetchCallsPerSecond))} s. Without
  webhooks a payer is notified of a payment after up to that time. With webhooks the invoice is fetched before all others that
  are due, so that the length of the queue does not matter.
- **The processor** of this machine: two cores for servers, PostgreSQL, sandbox and payers. \`INVOICE_FETCHES_PER_SECOND\`
  (${options.fetchesPerSecond ?? 60} for each server in this run) limits what the polling costs.
`;
}

function extrapolation({ options, idle }: RecordedWaiting, last: WaitingStep): string {
  const kilobytes = kilobytesOf(last.residentMegabytes, idle.residentMegabytes, last.payers);
  const processes = Math.ceil(million / 19_000);
  const idleOfOne = idle.residentMegabytes / options.processes;
  const gigabytes = (kilobytes * million) / 2 ** 20 + (processes * idleOfOne) / 1024;
  const factor = million / last.payers;
  const requests = million / options.waitSeconds;
  const cores = (last.cpu.servers / 100) * factor;
  return `## A million payers: an estimate

Computed from the last step; none of it was measured.

- **Processes**: ${processes} with 19,000 long polls each, and ${gigabytes.toFixed(0)} GB of memory for all of them.
- **Requests**: a long poll every ${options.waitSeconds} s for each payer are ${whole(requests)} responses a second. At the servers' processor time of the last step,
  which includes their share of the polling, these are ${cores.toFixed(0)} cores.
- **FetchInvoices**: one fetch of each invoice every 2 s would be ${whole(million / 200)} calls a second; no service allows that. With webhooks the
  status poller is needed only where a webhook is lost: at 60 calls a second, each invoice is fetched every ${whole(roundSeconds(million, 60))} s.
- **PostgreSQL**: each fetch updates the invoice's row in \`schedules\` twice, ${whole(60 * 100 * 2)} updates a second at that rate, however many
  payers wait. ${processes} processes have up to ${processes * 11} connections: a pooler such as PgBouncer (session mode, because of \`LISTEN\`) or a
  smaller pool is needed. Every save is announced to all processes: ${processes} messages for each payment.
`;
}
