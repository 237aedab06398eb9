import { setTimeout as delay } from 'node:timers/promises';

const tries = 5;
const firstPauseMs = 20;

/** Does the work, and does it again, a few times and after ever longer pauses, as long as its failure may pass. */
export async function retry<T>(work: () => Promise<T>, mayPass: (error: unknown) => boolean): Promise<T> {
  for (let made = 1; ; made += 1) {
    try {
      return await work();
    } catch (error) {
      if (made === tries || !mayPass(error)) throw error;
      await delay(firstPauseMs * 2 ** made * (0.5 + Math.random()));
    }
  }
}
