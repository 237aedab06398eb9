import type { ServerContext } from '../context.ts';
import { createWorkerLoop, type WorkerLoop } from './worker-loop.ts';
import type { LongPolls } from '../live/long-polls.ts';

const checkIntervalMs = 1000;
/** Responses to all long polls are spread over this time. */
export const spreadMs = 5000;

/** Wakes all long polls when the service stops answering and when it answers again: neither saves a checkout. */
export function createOutageBroadcast({ clock, log, health }: ServerContext, longPolls: LongPolls): WorkerLoop {
  let wasStale = health.isStale();
  return createWorkerLoop(clock, log, 'outage_broadcast', () => {
    if (health.isStale() !== wasStale) longPolls.wakeAll(spreadMs);
    wasStale = health.isStale();
    return Promise.resolve(checkIntervalMs);
  });
}
