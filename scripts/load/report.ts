// The figures of a load run as docs/development/load.md and as text for a terminal.
import process from 'node:process';
import { calibrate, hardware } from '../describe-hardware.ts';
import { table } from '../markdown-table.ts';
import { tickMs } from './resource-monitor.ts';
import { batchSize, type LoadResult, type Outage, type Restart, type Waiting } from './run-phases.ts';

type Row = readonly [figure: string, value: string, target: string];

/** Formats the figures of a run as Markdown: what was measured where, and a table for each part of the run. */
export function formatPart(result: LoadResult, command: string, loadAverage: string): string {
  const { waiting, outage, restart, payers, processes, seedSeconds } = result;
  const { wallMs, cpuMs } = calibrate();
  return [
    `- command: \`${command}\``,
    `- date: ${new Date().toISOString().slice(0, 10)}; Node ${process.version}; ${processes === 1 ? 'one server' : `${processes} servers on one PostgreSQL`}`,
    `- machine: ${hardware()}; its calibration loop took ${Math.round(cpuMs)} ms of processor time, and ${Math.round(wallMs)} ms by the clock`,
    `- load average before the run: ${loadAverage}`,
    `- ${payers} payers had their invoices after ${Math.round(seedSeconds)} s`,
    '',
    ...(waiting === undefined ? [] : formatSection('Payers who wait', waitingRows(waiting, payers))),
    ...(outage === undefined ? [] : formatSection('An outage of the service', outageRows(outage))),
    ...(restart === undefined ? [] : formatSection('A restart of the servers', restartRows(restart, payers))),
  ].join('\n');
}

const formatSection = (title: string, rows: readonly Row[]): readonly string[] => [
  `### ${title}`,
  '',
  table(['figure', 'measured', 'target'], rows),
  '',
];

function waitingRows({ measurements, costs, payersMemory, unnotified }: Waiting, payers: number): readonly Row[] {
  const { latency, paidToPayer } = measurements;
  const percentile = (share: number): string => formatMilliseconds(latency.percentile(share));
  return [
    ['answered reads a second', (measurements.responses / costs.seconds).toFixed(1), ''],
    ['failed reads', formatReasons(measurements), '0'],
    ['answers after the end of their wait, p50 / p95', `${percentile(0.5)} / ${percentile(0.95)}`, ''],
    ['the same, p99 / longest', `${percentile(0.99)} / ${percentile(1)}`, ''],
    ['from the payment to the payer’s session, p50', formatMilliseconds(paidToPayer.percentile(0.5)), ''],
    ['the same, p99', formatMilliseconds(paidToPayer.percentile(0.99)), `at most ${tickMs + 1000} ms`],
    ['paid payers / of them never told', `${paidToPayer.count} / ${unnotified}`, '0 never told'],
    ['FetchInvoices a second', (costs.calls / costs.seconds).toFixed(1), 'at most 60 for each server'],
    ['the same, in the busiest second', String(costs.callsInBusiestSecond), ''],
    [
      'the same, in the busiest tick of 2 s',
      String(costs.callsInBusiestTick),
      `about ${Math.ceil(payers / batchSize)}`,
    ],
    [
      'resident memory of the servers',
      `${Math.round(costs.memoryMegabytes)} MB, ${((costs.memoryMegabytes * 1024) / payers).toFixed(1)} kB a payer`,
      '',
    ],
    ['delay of their event loops, p99 of the worst second', formatMilliseconds(costs.loopDelayMs), ''],
    [
      'processor: servers / sandbox',
      `${formatPercent(costs.cpu.servers)} / ${formatPercent(costs.cpu.sandbox)} of a core`,
      '',
    ],
    [
      'the payers themselves: processor / resident memory of a payer',
      `${formatPercent(costs.cpu.payers)} of a core / ${(payersMemory / 1024 / payers).toFixed(1)} kB`,
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
    ['stale answers', String(outage.staleAnswers), 'more than 0'],
    ['failed reads', String(outage.errors), '0'],
    ['the first payer sees current data after', formatMilliseconds(outage.firstFreshMs), ''],
    ['all payers see current data after', formatMilliseconds(outage.allFreshMs), 'at most 10,000 ms'],
    ['payers who paid meanwhile are told after', formatMilliseconds(outage.paidToPayerMs), 'at most 10,000 ms'],
    ['paid meanwhile, never told', String(outage.unnotified), '0'],
    ['FetchInvoices in the busiest second afterwards', String(outage.callsInBusiestSecond), ''],
  ];
}

function restartRows(
  { downMs, servedAfterMs, waiting, served, measurements, unnotified }: Restart,
  payers: number,
): readonly Row[] {
  const { paidToPayer, requests } = measurements;
  return [
    ['the servers were away for', formatMilliseconds(downMs), ''],
    ...servedAfterMs.map(({ share, ms }): Row => [
      share === 1 ? 'all payers had an answer after' : `${share * 100} % of the payers had an answer after`,
      formatMilliseconds(ms),
      share === 1 ? 'at most 60,000 ms' : '',
    ]),
    ['payers with an answer at the end', `${served} of ${waiting}`, 'all'],
    ['reads for each payer, meanwhile', (requests / payers).toFixed(1), ''],
    ['failed reads', formatReasons(measurements), ''],
    [
      'from a payment after the restart to the payer’s session, p50 / p99',
      `${formatMilliseconds(paidToPayer.percentile(0.5))} / ${formatMilliseconds(paidToPayer.percentile(0.99))}`,
      '',
    ],
    [
      'paid after the restart / of them never told',
      `${paidToPayer.count + unnotified} / ${unnotified}`,
      '0 never told',
    ],
  ];
}

function formatReasons({ errors, reasons }: Waiting['measurements']): string {
  const parts = [...reasons].map(([reason, count]) => `${count} ${reason}`);
  return errors === 0 ? '0' : `${errors}: ${parts.join(', ')}`;
}

function formatMilliseconds(value: number): string {
  return Number.isNaN(value) ? 'none' : `${Math.round(value).toLocaleString('en')} ms`;
}

function formatPercent(value: number): string {
  return Number.isNaN(value) ? '?' : `${Math.round(value)} %`;
}
