// The figures of a load run as docs/load.md and as text for a terminal.
import process from 'node:process';
import { hardware, loadAverages } from '../hardware.ts';
import { batchSize, tickMs, type LoadResult, type Outage, type Phase } from './run-phases.ts';

type Row = readonly [figure: string, value: string, target: string];

/** What a reader of the figures has to know. */
const reading = `## Reading it

- A figure beyond its target is told as it was measured. Where the load average is above 2 before the run, the server got
  less of a core than it asked for, and what it was late by is partly somebody else's work.
- A conditional poll costs the HTTP layers more than the checkout server; a batch of 100 invoices costs it some
  milliseconds. One process takes in one new connection in each turn of its loop: a crowd that comes at once is heard
  late although nothing is refused.
- Who polls every 5 s cannot hear within 3 s: what polls can do is a tick, a poll and a second. The target is for held
  answers, which the widget asks for.
- Answers are held (\`waits\`) unless a client cannot: a held answer costs a fifth of the requests of a poll every 5 s.
- \`--heap\` bounds what Node lets lie about before it collects; without it the memory grows to what the machine has.
- The payments of this run are heard of by the watcher's tick alone, unless \`--hooks\` lets the service's notifications in.
`;

/** The figures of a run as a page. */
export function pageOf(result: LoadResult, command: string, loadAverage: string): string {
  const { phases, outage, payers } = result;
  return [
    '# The load run',
    '',
    'Written by `npm run load`. One shop, one sandbox and one process of payers share the cores; all talk over loopback.',
    'Payers are evenly spaced and ask at their time, however late the answers before were; lateness counts from the time',
    'at which a request was meant to be sent. Shop and sandbox are built programs.',
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

function rowsOf(
  { name, measurements: met, targetPerSecond: meantPerSecond, costs, unnotified: unheard }: Phase,
  payers: number,
): readonly Row[] {
  const perTick = Math.ceil(payers / batchSize);
  const { latency: late, paidToPayer: heard } = met;
  const isPolls = name.startsWith('polls');
  const spread = (part: number): string => milliseconds(late.percentile(part));
  return [
    ['requests meant to be sent, a second', meantPerSecond === undefined ? '' : String(Math.round(meantPerSecond)), ''],
    [
      'requests answered, a second',
      String(Math.round(met.responses / costs.seconds)),
      meantPerSecond === undefined ? '' : 'as meant',
    ],
    ['errors', String(met.errors), '0'],
    [
      isPolls ? 'lateness of answers, p50 / p95' : 'answers after the end of their wait, p50 / p95',
      `${spread(0.5)} / ${spread(0.95)}`,
      '',
    ],
    ['the same, p99', spread(0.99), isPolls ? 'at most 50 ms' : ''],
    ['the same, longest', spread(1), ''],
    ['from the payment to the payer, p50', milliseconds(heard.percentile(0.5)), ''],
    ['the same, p99', milliseconds(heard.percentile(0.99)), `at most ${tickMs + 1000} ms`],
    ['payers who were paid / never heard', `${heard.count} / ${unheard}`, '0 never heard'],
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
    ['answers that said "stale"', String(outage.staleAnswers), 'more than 0'],
    ['errors', String(outage.errors), '0'],
    ['the first payer sees what is new after', milliseconds(outage.firstFreshMs), ''],
    ['all payers see what is new after', milliseconds(outage.allFreshMs), 'at most 10,000 ms'],
    ['who paid meanwhile has heard after', milliseconds(outage.paidToPayerMs), 'at most 10,000 ms'],
    ['paid meanwhile, never heard', String(outage.unnotified), '0'],
    ['FetchInvoices in the busiest second after it', String(outage.callsInBusiestSecond), 'about 60 at most'],
  ];
}

function milliseconds(value: number): string {
  return Number.isNaN(value) ? 'none' : `${Math.round(value).toLocaleString('en')} ms`;
}

function percent(value: number): string {
  return Number.isNaN(value) ? '?' : `${Math.round(value)} %`;
}
