// The figures of a load run as docs/load.md and as text for a terminal.
import process from 'node:process';
import { hardware, loadAverages } from '../describe-hardware.ts';
import { batchSize, tickMs, type LoadResult, type Outage, type Phase } from './run-phases.ts';

type Row = readonly [figure: string, value: string, target: string];

/** How to read the figures. */
const reading = `## Reading it

- A figure that misses its target is printed as it was measured. With a load average above 2 before the run, the server
  had less processor time than it needed, and part of the delay is due to other programs.
- A conditional poll costs the HTTP layers more than the checkout server; a batch of 100 invoices costs it some
  milliseconds. A process accepts one new connection in each turn of its event loop: when many payers connect at once, the
  last of them wait, although no connection is refused.
- A payer who polls every 5 s cannot be notified within 3 s: the delay is a tick of the status poller, a poll and up to a
  second. The target is for long polls, which the widget uses.
- The widget uses plain polls only where long polls are not possible: a long poll costs a fifth of the requests of a poll
  every 5 s.
- \`--heap\` limits Node's old space; without it the memory grows until Node collects it.
- In this run only the status poller notices payments, unless \`--hooks\` delivers the service's webhooks.
`;

/** The figures of a run as a page. */
export function pageOf(result: LoadResult, command: string, loadAverage: string): string {
  const { phases, outage, payers } = result;
  return [
    '# The load run',
    '',
    'Written by `npm run load`. One shop, one sandbox and one process of payers share the cores; all talk over loopback.',
    'Payers are evenly spaced and send each request at its scheduled time, however late earlier responses were; delays',
    'count from the scheduled time. Shop and sandbox are built programs.',
    '',
    `- command: \`${command}\``,
    `- date: ${new Date().toISOString().slice(0, 10)}; Node ${process.version}`,
    `- machine: ${hardware()}`,
    `- load average before the run: ${loadAverage}; above 0 means that others used the machine too`,
    '',
    ...phases.flatMap((phase) => section(`${payers} payers, ${phase.name}`, rowsOf(phase, payers))),
    ...(outage === undefined ? [] : section('An outage of the service', outageRows(outage))),
    reading,
  ].join('\n');
}

/** The same for a terminal. */
export function textOf(result: LoadResult): string {
  return pageOf(result, 'npm run load', loadAverages())
    .replace(/^[^]*?(?=## )/, '')
    .replace(/## Reading it[^]*/, '');
}

function section(title: string, rows: readonly Row[]): readonly string[] {
  const heads: Row = ['figure', 'measured', 'target'];
  const widths = [0, 1, 2].map((column) => Math.max(...[heads, ...rows].map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [`## ${title}`, '', line(heads), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line), ''];
}

function rowsOf({ name, measurements, targetPerSecond, costs, unnotified }: Phase, payers: number): readonly Row[] {
  const perTick = Math.ceil(payers / batchSize);
  const { latency, paidToPayer } = measurements;
  const isPolls = name.startsWith('polls');
  const spread = (part: number): string => milliseconds(latency.percentile(part));
  return [
    ['scheduled requests a second', targetPerSecond === undefined ? '' : String(Math.round(targetPerSecond)), ''],
    [
      'answered requests a second',
      String(Math.round(measurements.responses / costs.seconds)),
      targetPerSecond === undefined ? '' : 'as scheduled',
    ],
    ['errors', String(measurements.errors), '0'],
    [
      isPolls ? 'delay of responses, p50 / p95' : 'responses after the end of their wait, p50 / p95',
      `${spread(0.5)} / ${spread(0.95)}`,
      '',
    ],
    ['the same, p99', spread(0.99), isPolls ? 'at most 50 ms' : ''],
    ['the same, longest', spread(1), ''],
    ['from the payment to the payer’s response, p50', milliseconds(paidToPayer.percentile(0.5)), ''],
    ['the same, p99', milliseconds(paidToPayer.percentile(0.99)), `at most ${tickMs + 1000} ms`],
    ['paid payers / of them never notified', `${paidToPayer.count} / ${unnotified}`, '0 never notified'],
    ['FetchInvoices a second', (costs.calls / costs.seconds).toFixed(1), 'at most 60'],
    ['the same, in the busiest second', String(costs.callsInBusiestSecond), 'about 60 at most'],
    ['the same, in the busiest tick of 2 s', String(costs.callsInBusiestTick), `about ${perTick}`],
    ['memory of the server', `${Math.round(costs.memoryMegabytes)} MB`, 'at most 300 MB'],
    ['delay of its event loop, p99 of the worst second', milliseconds(costs.loopDelayMs), ''],
    [
      'processor: server / sandbox / payers',
      `${percent(costs.cpu.server)} / ${percent(costs.cpu.sandbox)} / ${percent(costs.cpu.payers)} of a core`,
      '',
    ],
  ];
}

function outageRows(outage: Outage): readonly Row[] {
  const { normalCallsPerSecond, callsPerSecond } = outage;
  const part = callsPerSecond / normalCallsPerSecond;
  return [
    ['FetchInvoices a second, before', normalCallsPerSecond.toFixed(1), ''],
    ['the same, during', `${callsPerSecond.toFixed(1)} (${part.toFixed(2)} of normal)`, 'at most 1.2 of normal'],
    ['stale responses', String(outage.staleAnswers), 'more than 0'],
    ['errors', String(outage.errors), '0'],
    ['the first payer sees current data after', milliseconds(outage.firstFreshMs), ''],
    ['all payers see current data after', milliseconds(outage.allFreshMs), 'at most 10,000 ms'],
    ['payers who paid meanwhile are notified after', milliseconds(outage.paidToPayerMs), 'at most 10,000 ms'],
    ['paid meanwhile, never notified', String(outage.unnotified), '0'],
    ['FetchInvoices in the busiest second afterwards', String(outage.callsInBusiestSecond), 'about 60 at most'],
  ];
}

function milliseconds(value: number): string {
  return Number.isNaN(value) ? 'none' : `${Math.round(value).toLocaleString('en')} ms`;
}

function percent(value: number): string {
  return Number.isNaN(value) ? '?' : `${Math.round(value)} %`;
}
