// The figures of a server bench as test/bench/results/server.json and as text for a terminal.
import os from 'node:os';
import { median } from '../../test/bench/statistics.ts';
import type { BenchOptions, CaseName, Window, Windows } from './measure.ts';
import type { SubjectName } from './parent-child-messages.ts';

/**
 * The content of test/bench/results/server.json. Figures are medians of the rounds. `ofHono` are ratios to the bare
 * framework: above 1 is better for `throughput`, below 1 for `processor`.
 */
export interface ServerBench {
  readonly date: string;
  readonly node: string;
  readonly machine: { readonly cores: number; readonly model: string; readonly memoryGigabytes: number };
  /** The machine's load average in the minute before the run. Above 0, other programs were running. */
  readonly loadAverage: number;
  readonly rounds: number;
  readonly secondsOfWindow: number;
  readonly connections: number;
  readonly cases: readonly {
    readonly name: CaseName;
    readonly subjects: readonly {
      readonly name: SubjectName;
      readonly requestsPerSecond: number;
      readonly processorMicrosecondsPerRequest: number;
      readonly ofHono: { readonly throughput: number; readonly processor: number };
      /**
       * The processor time as a ratio to that of the hono route with one SELECT, the median of the rounds' ratios; undefined
       * where that route was not measured.
       */
      readonly processorOfSelect?: number;
    }[];
  }[];
}

type RunSettings = Omit<BenchOptions, 'checkouts'> & { readonly loadAverage: number };

export function buildResult(windows: Windows, { rounds, seconds, connections, loadAverage }: RunSettings): ServerBench {
  const cases = [...windows].map(([name, bySubject]) => {
    const honoMedians = computeMedians(bySubject.get('hono') ?? []);
    const selectWindows = bySubject.get('hono with a SELECT');
    const subjects = [...bySubject].map(([subject, windows]) => {
      const { perSecond, cost } = computeMedians(windows);
      return {
        name: subject,
        requestsPerSecond: Math.round(perSecond),
        processorMicrosecondsPerRequest: roundTo(cost, 1),
        ofHono: {
          throughput: roundTo(perSecond / honoMedians.perSecond, 2),
          processor: roundTo(cost / honoMedians.cost, 2),
        },
        ...(selectWindows === undefined ? {} : { processorOfSelect: roundTo(medianRatio(windows, selectWindows), 2) }),
      };
    });
    return { name, subjects };
  });
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    machine: {
      cores: os.cpus().length,
      model: os.cpus()[0]?.model ?? 'unknown',
      memoryGigabytes: Math.round(os.totalmem() / 2 ** 30),
    },
    loadAverage: roundTo(loadAverage, 1),
    rounds,
    secondsOfWindow: seconds,
    connections,
    cases,
  };
}

function computeMedians(windows: readonly Window[]): { readonly perSecond: number; readonly cost: number } {
  return {
    perSecond: median(windows.map(({ requests, seconds }) => requests / seconds)),
    cost: median(windows.map(costPerRequest)),
  };
}

const costPerRequest = ({ requests, cpuMicroseconds }: Window): number => cpuMicroseconds / requests;

/** The median of the rounds' ratios. The two windows of a ratio were measured within seconds, under the same load. */
function medianRatio(windows: readonly Window[], baseWindows: readonly Window[]): number {
  return median(
    windows.flatMap((window, round) => {
      const baseWindow = baseWindows[round];
      return baseWindow === undefined ? [] : [costPerRequest(window) / costPerRequest(baseWindow)];
    }),
  );
}

function roundTo(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** Formats the result for a terminal. */
export function formatText({ cases, loadAverage }: ServerBench): string {
  const lines = cases.flatMap(({ name, subjects }) => [
    '',
    name.padEnd(28) + 'requests/s   µs of processor   of hono: throughput, processor   of a SELECT: processor',
    ...subjects.map(
      ({ name: subject, requestsPerSecond, processorMicrosecondsPerRequest, ofHono, processorOfSelect }) =>
        `  ${subject.padEnd(26)}${String(requestsPerSecond).padStart(10)}${String(processorMicrosecondsPerRequest).padStart(18)}` +
        `${ofHono.throughput.toFixed(2).padStart(25)}, ${ofHono.processor.toFixed(2)}` +
        (processorOfSelect === undefined ? '' : processorOfSelect.toFixed(2).padStart(24)),
    ),
  ]);
  return [...lines, '', `load average before the run: ${loadAverage}`].join('\n');
}
