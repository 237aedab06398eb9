import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import type { Metrics } from '../server.ts';

/** Adds metrics of this process, with the names that Prometheus clients use. */
export function measureProcess(metrics: Metrics): void {
  const delay = monitorEventLoopDelay();
  delay.enable();
  metrics.gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', () => process.memoryUsage.rss());
  metrics.gauge('process_cpu_seconds_total', 'User and system CPU time in seconds.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  metrics.gauge(
    'process_start_time_seconds',
    'When the process started, in seconds since 1970.',
    () => performance.timeOrigin / 1000,
  );
  metrics.gauge('nodejs_heap_size_used_bytes', 'Used heap in bytes.', () => process.memoryUsage().heapUsed);
  metrics.gauge(
    'nodejs_eventloop_lag_p99_seconds',
    'The 99th percentile of the event loop delay since the last scrape, in seconds.',
    () => {
      const p99 = delay.percentile(99) / 1e9;
      delay.reset();
      return Number.isFinite(p99) ? p99 : 0;
    },
  );
}
