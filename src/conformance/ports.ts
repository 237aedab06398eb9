import { setTimeout } from 'node:timers/promises';

/** What the run takes from its surroundings. */
export interface Ports {
  fetch(request: Request): Promise<Response>;
  /** Milliseconds on a clock that only goes forward. */
  now(): number;
  sleep(ms: number): Promise<void>;
}

export const realPorts: Ports = {
  fetch: (request) => fetch(request),
  now: () => performance.now(),
  async sleep(ms) {
    await setTimeout(ms);
  },
};
