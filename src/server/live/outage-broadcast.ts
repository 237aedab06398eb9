import type { ServerContext } from '../context.ts';
import { createWorkerLoop, type WorkerLoop } from '../workers/worker-loop.ts';
import type { LongPolls } from './long-polls.ts';

const lookEveryMs = 1000;
/** How long the answers take that all payers get at the same time. */
export const spreadMs = 5000;

/** Tells those who wait when the service has stopped answering, and when it answers again: nothing is saved then. */
export function createOutageBroadcast({ clock, log, health }: ServerContext, waiters: LongPolls): WorkerLoop {
  let wasStale = health.isStale();
  return createWorkerLoop(clock, log, 'outage_broadcast', () => {
    if (health.isStale() !== wasStale) waiters.wakeAll(spreadMs);
    wasStale = health.isStale();
    return Promise.resolve(lookEveryMs);
  });
}
