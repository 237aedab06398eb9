import type { Clock } from '../../base/clock.ts';
import type { LongPolls } from './long-polls.ts';

/** Whether the invoice service answers. Derived from the results of this server's calls. */
export interface ServiceHealth {
  /** Call it when the service has answered a call. */
  noteResponse(): void;
  /** Call it when a call had no usable response. */
  noteFailure(): void;
  /** Whether the service has not answered for `staleMs`. */
  isStale(): boolean;
}

/** Checkouts are marked stale when the service has not answered for this long, in milliseconds. */
const staleMs = 5000;

export function createServiceHealth(clock: Clock): ServiceHealth {
  let failingSince: number | undefined;
  return {
    noteResponse() {
      failingSince = undefined;
    },
    noteFailure() {
      failingSince ??= clock.now();
    },
    isStale: () => failingSince !== undefined && clock.now() - failingSince >= staleMs,
  };
}

const checkIntervalMs = 1000;
/** The responses to all long polls are spread over this time. */
const spreadMs = 5000;

/**
 * Wakes all long polls when the service stops answering and when it answers again. No save wakes them then, because an outage
 * changes no stored checkout.
 */
export function createOutageBroadcast(
  { clock, health }: { readonly clock: Clock; readonly health: ServiceHealth },
  longPolls: LongPolls,
): { start(): void; stop(): void } {
  let wasStale = health.isStale();
  let cancel: (() => void) | undefined;
  const check = (): void => {
    const isStale = health.isStale(); // read once: it may change between two reads
    if (isStale !== wasStale) longPolls.wakeAll(spreadMs);
    wasStale = isStale;
    cancel = clock.schedule(checkIntervalMs, check);
  };
  return {
    start() {
      if (cancel === undefined) check();
    },
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}
