import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Metrics } from '../src/server.ts';

/** The metrics of the checkout server, kept by prom-client. */
export interface PrometheusMetrics extends Metrics {
  /** The registry that `/metrics` serves: the samples as text, and the media type of the text. */
  readonly registry: Pick<Registry, 'metrics' | 'contentType'>;
  /** Adds prom-client's metrics of this process: memory, CPU, event loop, garbage collection. */
  measureProcess(): void;
}

/**
 * Implements the metrics port of `pay-invoice/server` with prom-client. A counter or a histogram is registered on its first
 * use, because its label names are known only then.
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
            gauge.remove(); // without a value, no sample is exposed
          else gauge.set(value);
        },
      });
    },
  };
}
