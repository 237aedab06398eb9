// The figures of a load run as docs/development/load.md and as text for a terminal.
import process from 'node:process';
import { hardware, loadAverages } from '../describe-hardware.ts';
import { table } from '../markdown-table.ts';
import { tickMs } from './resource-monitor.ts';
import { batchSize, type LoadResult, type Outage, type Phase } from './run-phases.ts';

type Row = readonly [figure: string, value: string, target: string];

/** The section that explains the figures. */
const readingSection = `## Reading it

- A figure that misses its target is printed as it was measured. With a load average above 2 before the run, the server
  had less processor time than it needed, and part of the delay is due to other programs.
- A conditional poll costs the HTTP layers more than the checkout server; a batch of 100 invoices costs it some
  milliseconds. A process accepts one new connection in each turn of its event loop: when many payers connect at once, the
  last of them wait, although no connection is refused.
- \`npm run load -- --postgres --overload CLIENTS\` measures more buyers than the server can serve: which share of the admitted
  orders gets an invoice, and after how long.
- A payer who polls every 5 s cannot be notified within 3 s: the delay is a tick of the status poller, a poll and up to a
  second. The target is for long polls, which the widget uses.
- The widget uses plain polls only where long polls are not possible: a long poll costs a fifth of the requests of a poll
  every 5 s.
- \`--heap\` limits Node's old space; without it the memory grows until Node collects it.
- In this run only the status poller notices payments, unless \`--hooks\` delivers the service's webhooks.
`;

/** Formats the figures of a run as a Markdown page. */
export function formatPage(result: LoadResult, command: string, loadAverage: string): string {
  const { phases, outage, payers, processes } = result;
  return [
    `# The load of ${payers.toLocaleString('en')} payers`,
    '',
    `Written by \`npm run load\`. ${processes === 1 ? 'One server' : `${processes} servers on one PostgreSQL`}, the sandbox, and a process of payers for each server share the cores;`,
    'all talk over loopback. Payers are evenly spaced and send each request at its scheduled time, however late earlier',
    'responses were; delays count from the scheduled time. Servers and sandbox are built programs.',
    '',
    `- command: \`${command}\``,
    `- date: ${new Date().toISOString().slice(0, 10)}; Node ${process.version}`,
    `- machine: ${hardware()}`,
    `- load average before the run: ${loadAverage}; above 0 means that others used the machine too`,
    '',
    ...phases.flatMap((phase) => formatSection(`${payers} payers, ${phase.name}`, phaseRows(phase, payers))),
    ...(outage === undefined ? [] : formatSection('An outage of the service', outageRows(outage))),
    readingSection,
  ].join('\n');
}

/** Formats the figures of a run for a terminal: the page without its introduction and explanations. */
export function formatText(result: LoadResult): string {
  return formatPage(result, 'npm run load', loadAverages())
    .replace(/^[^]*?(?=## )/, '')
    .replace(/## Reading it[^]*/, '');
}

const formatSection = (title: string, rows: readonly Row[]): readonly string[] => [
  `## ${title}`,
  '',
  table(['figure', 'measured', 'target'], rows),
  '',
];

function phaseRows({ name, measurements, targetPerSecond, costs, unnotified }: Phase, payers: number): readonly Row[] {
  const batchesPerTick = Math.ceil(payers / batchSize);
  const { latency, paidToPayer } = measurements;
  const usesPolls = name.startsWith('polls');
  const latencyPercentile = (share: number): string => formatMilliseconds(latency.percentile(share));
  return [
    ['scheduled requests a second', targetPerSecond === undefined ? '' : String(Math.round(targetPerSecond)), ''],
    [
      'answered requests a second',
      String(Math.round(measurements.responses / costs.seconds)),
      targetPerSecond === undefined ? '' : 'as scheduled',
    ],
    ['errors', String(measurements.errors), '0'],
    [
      usesPolls ? 'delay of responses, p50 / p95' : 'responses after the end of their wait, p50 / p95',
      `${latencyPercentile(0.5)} / ${latencyPercentile(0.95)}`,
      '',
    ],
    ['the same, p99', latencyPercentile(0.99), usesPolls ? 'at most 50 ms' : ''],
    ['the same, longest', latencyPercentile(1), ''],
    ['from the payment to the payer’s response, p50', formatMilliseconds(paidToPayer.percentile(0.5)), ''],
    ['the same, p99', formatMilliseconds(paidToPayer.percentile(0.99)), `at most ${tickMs + 1000} ms`],
    ['paid payers / of them never notified', `${paidToPayer.count} / ${unnotified}`, '0 never notified'],
    ['FetchInvoices a second', (costs.calls / costs.seconds).toFixed(1), 'at most 60'],
    ['the same, in the busiest second', String(costs.callsInBusiestSecond), 'about 60 at most'],
    ['the same, in the busiest tick of 2 s', String(costs.callsInBusiestTick), `about ${batchesPerTick}`],
    [
      'resident memory of the servers',
      `${Math.round(costs.memoryMegabytes)} MB, ${((costs.memoryMegabytes * 1024) / payers).toFixed(1)} kB a payer`,
      payers > 10_000 ? '' : 'at most 300 MB',
    ],
    ['delay of their event loops, p99 of the worst second', formatMilliseconds(costs.loopDelayMs), ''],
    [
      'processor: servers / sandbox / payers',
      `${formatPercent(costs.cpu.servers)} / ${formatPercent(costs.cpu.sandbox)} / ${formatPercent(costs.cpu.payers)} of a core`,
      '',
    ],
  ];
}

function outageRows(outage: Outage): readonly Row[] {
  const { normalCallsPerSecond, callsPerSecond } = outage;
  const share = callsPerSecond / normalCallsPerSecond;
  return [
    ['FetchInvoices a second, before', normalCallsPerSecond.toFixed(1), ''],
    ['the same, during', `${callsPerSecond.toFixed(1)} (${share.toFixed(2)} of normal)`, 'at most 1.2 of normal'],
    ['stale responses', String(outage.staleAnswers), 'more than 0'],
    ['errors', String(outage.errors), '0'],
    ['the first payer sees current data after', formatMilliseconds(outage.firstFreshMs), ''],
    ['all payers see current data after', formatMilliseconds(outage.allFreshMs), 'at most 10,000 ms'],
    ['payers who paid meanwhile are notified after', formatMilliseconds(outage.paidToPayerMs), 'at most 10,000 ms'],
    ['paid meanwhile, never notified', String(outage.unnotified), '0'],
    ['FetchInvoices in the busiest second afterwards', String(outage.callsInBusiestSecond), 'about 60 at most'],
  ];
}

function formatMilliseconds(value: number): string {
  return Number.isNaN(value) ? 'none' : `${Math.round(value).toLocaleString('en')} ms`;
}

function formatPercent(value: number): string {
  return Number.isNaN(value) ? '?' : `${Math.round(value)} %`;
}
