/** The labels of a sample. They have few different values and no data of a payer. */
export type Labels = Readonly<Record<string, string | number>>;

/** Receives the server's metrics. Use `createMetrics`, or an adapter for a metrics library. */
export interface Metrics {
  /** Registers a counter. The returned function increments it. */
  counter(name: string, help: string): (labels?: Labels, by?: number) => void;
  /**
   * Registers a histogram; `bounds` are the upper bounds of its buckets in ascending order. The returned function adds a value.
   */
  histogram(name: string, help: string, bounds: readonly number[]): (value: number, labels?: Labels) => void;
  /** Registers a gauge. `read` is called for each scrape; if it returns undefined, the sample is omitted. */
  gauge(name: string, help: string, read: () => number | undefined | Promise<number | undefined>): void;
}

/** Metrics that nobody reads. */
export const noMetrics: Metrics = {
  counter: () => () => undefined,
  histogram: () => () => undefined,
  gauge: () => undefined,
};

/** Metrics that are kept in the memory of this process. */
export interface TextMetrics extends Metrics {
  /** The metrics in the Prometheus text format, version 0.0.4. */
  expose(): Promise<string>;
}

/** A metric with all its samples. */
interface Family {
  readonly help: string;
  readonly type: 'counter' | 'histogram' | 'gauge';
  /** The lines of the samples in the text format. */
  readonly lines: () => Promise<readonly string[]>;
}

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

export function createMetrics(): TextMetrics {
  const families = new Map<string, Family>();
  return {
    counter(name, help) {
      const samples = new Map<string, number>();
      const lines = () => Promise.resolve([...samples].map(([labels, value]) => `${name}${labels} ${value}`));
      families.set(name, { help, type: 'counter', lines });
      return (labels = {}, by = 1) => {
        const key = labelsText(labels);
        samples.set(key, (samples.get(key) ?? 0) + by);
      };
    },
    histogram(name, help, bounds) {
      const samples = new Map<string, { readonly labels: Labels; readonly counts: number[]; sum: number }>();
      const lines = () => Promise.resolve([...samples.values()].flatMap((sample) => bucketLines(name, bounds, sample)));
      families.set(name, { help, type: 'histogram', lines });
      return (value, labels = {}) => {
        const key = labelsText(labels);
        const sample = samples.get(key) ?? {
          labels,
          counts: Array.from({ length: bounds.length + 1 }, () => 0),
          sum: 0,
        };
        const bucket = bounds.findIndex((bound) => value <= bound);
        const index = bucket === -1 ? bounds.length : bucket;
        sample.counts[index] = (sample.counts[index] ?? 0) + 1;
        sample.sum += value;
        samples.set(key, sample);
      };
    },
    gauge(name, help, read) {
      const lines = async (): Promise<readonly string[]> => {
        const value = await Promise.resolve()
          .then(read)
          .catch(() => undefined); // the sample is omitted while its value cannot be read
        return value === undefined ? [] : [`${name} ${value}`];
      };
      families.set(name, { help, type: 'gauge', lines });
    },
    async expose() {
      const texts = [...families].map(async ([name, { help, type, lines }]) =>
        [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...(await lines())].join('\n'),
      );
      return `${(await Promise.all(texts)).join('\n')}\n`;
    },
  };
}

/** The lines of a histogram. In this format each bucket includes the buckets below it. */
function bucketLines(
  name: string,
  bounds: readonly number[],
  { labels, counts, sum }: { readonly labels: Labels; readonly counts: readonly number[]; readonly sum: number },
): readonly string[] {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return `${name}_bucket${labelsText({ ...labels, le: bounds[index] ?? '+Inf' })} ${total}`;
  });
  return [...buckets, `${name}_sum${labelsText(labels)} ${sum}`, `${name}_count${labelsText(labels)} ${total}`];
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(String(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  if (!/[\\"\n]/.test(value)) return value;
  return value.replace(/[\\"\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`));
}
