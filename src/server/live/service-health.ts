import type { Clock } from '../../base/clock.ts';

/** Whether the invoice service answers, by the calls that are made anyway. */
export interface ServiceHealth {
  answered(): void;
  failed(): void;
  /** The service has not answered for so long that what is known of it is old. */
  isStale(): boolean;
}

export function createServiceHealth(clock: Clock, staleMs: number): ServiceHealth {
  let failingSince: number | undefined;
  return {
    answered() {
      failingSince = undefined;
    },
    failed() {
      failingSince ??= clock.now();
    },
    isStale: () => failingSince !== undefined && clock.now() - failingSince >= staleMs,
  };
}
