import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Metrics } from '../src/server.ts';

/** The metrics of the checkout server, kept by prom-client. */
export interface PrometheusMetrics extends Metrics {
  /** What `/metrics` serves: the samples as text, and the type of that text. */
  readonly registry: Pick<Registry, 'metrics' | 'contentType'>;
  /** Adds prom-client's metrics of this process: memory, CPU, event loop, garbage collection. */
  measureProcess(): void;
}

/**
 * The metrics port of `pay-invoice/server` on prom-client. A counter or a histogram is registered when it is used for
 * the first time: its label names are known then, and are the same each time.
 */
export function createPrometheusMetrics(): PrometheusMetrics {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    measureProcess: () => collectDefaultMetrics({ register: registry }),
    counter(name, help) {
      let counter: Counter | undefined;
      return (labels = {}, by = 1) => {
        counter ??= new Counter({ name, help, labelNames: Object.keys(labels), registers });
        counter.inc(labels, by);
      };
    },
    histogram(name, help, bounds) {
      let histogram: Histogram | undefined;
      return (value, labels = {}) => {
        histogram ??= new Histogram({ name, help, labelNames: Object.keys(labels), buckets: [...bounds], registers });
        histogram.observe(labels, value);
      };
    },
    gauge(name, help, read) {
      const gauge: Gauge = new Gauge({
        name,
        help,
        registers,
        async collect() {
          const value = await Promise.resolve()
            .then(read)
            .catch(() => undefined);
          if (value === undefined)
            gauge.remove(); // no sample rather than a wrong one
          else gauge.set(value);
        },
      });
    },
  };
}
