import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import { Hono } from 'hono';
import { metricsContentType, type Metrics, type TextMetrics } from '../src/server.ts';

/** `/healthz`: the process is alive. `/readyz`: it can serve; a balancer sends nobody to one that cannot. */
export function healthRoutes(isHealthy: () => Promise<void>): Hono {
  const routes = new Hono();
  routes.get('/healthz', (c) => c.json({ status: 'ok' }));
  routes.get('/readyz', async (c) => {
    const ready = await isHealthy().then(
      () => true,
      () => false,
    );
    return c.json({ status: ready ? 'ready' : 'not_ready' }, ready ? 200 : 503, { 'cache-control': 'no-store' });
  });
  return routes;
}

/** What only the shop's own people may see, on a port of its own: `/metrics`, and the health besides. */
export function metricsRoutes(metrics: TextMetrics, isHealthy: () => Promise<void>): Hono {
  const routes = healthRoutes(isHealthy);
  routes.get('/metrics', async (c) => c.body(await metrics.expose(), 200, { 'content-type': metricsContentType }));
  return routes;
}

/** Tells of this process; returns how to end it. */
export function measureProcess(metrics: Metrics): () => void {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  metrics.gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  metrics.gauge('process_start_time_seconds', 'When the process started, since 1970.', () =>
    Math.round(performance.timeOrigin / 1000),
  );
  metrics.gauge('nodejs_heap_size_used_bytes', 'Heap in use.', () => process.memoryUsage().heapUsed);
  metrics.gauge('nodejs_eventloop_delay_p99_seconds', 'Delay of timers since the last look, 99 of 100.', () => {
    const seconds = delay.percentile(99) / 1e9;
    delay.reset();
    return seconds;
  });
  return () => delay.disable();
}
