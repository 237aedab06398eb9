/** Names and values by which the samples of one metric differ: few, fixed, and nothing of a payer's. */
export type Labels = Readonly<Record<string, string | number>>;

/** Where the server counts what it does. `createMetrics` is one; another may hand on to any library. */
export interface Metrics {
  /** Something that happens; call what it returns each time that it does. */
  counter(name: string, help: string): (labels?: Labels, by?: number) => void;
  /** How values are spread; `bounds` are the upper bounds of its buckets, smallest first. */
  histogram(name: string, help: string, bounds: readonly number[]): (value: number, labels?: Labels) => void;
  /** Something that is; it is read when somebody asks, and left out when it cannot be read, or is undefined. */
  gauge(name: string, help: string, read: () => number | undefined | Promise<number | undefined>): void;
}

/** Metrics kept in this process. */
export interface TextMetrics extends Metrics {
  /** All of them in the Prometheus text format, version 0.0.4. */
  expose(): Promise<string>;
}

interface Family {
  readonly help: string;
  readonly type: 'counter' | 'histogram' | 'gauge';
  /** The lines of its samples. */
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
        const key = textOf(labels);
        samples.set(key, (samples.get(key) ?? 0) + by);
      };
    },
    histogram(name, help, bounds) {
      const samples = new Map<string, { readonly labels: Labels; readonly counts: number[]; sum: number }>();
      const lines = () => Promise.resolve([...samples.values()].flatMap((sample) => bucketLines(name, bounds, sample)));
      families.set(name, { help, type: 'histogram', lines });
      return (value, labels = {}) => {
        const key = textOf(labels);
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
          .catch(() => undefined); // a sample less says it
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

/** Each bucket of the format counts those below it too. */
function bucketLines(
  name: string,
  bounds: readonly number[],
  { labels, counts, sum }: { readonly labels: Labels; readonly counts: readonly number[]; readonly sum: number },
): readonly string[] {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return `${name}_bucket${textOf({ ...labels, le: bounds[index] ?? '+Inf' })} ${total}`;
  });
  return [...buckets, `${name}_sum${textOf(labels)} ${sum}`, `${name}_count${textOf(labels)} ${total}`];
}

function textOf(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`));
}
