import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerReply } from './messages.ts';

/** How often garbage is collected before the memory is measured. V8 returns freed memory only some time after a collection. */
const collections = 4;
const pauseMs = 1000;

/** Answers each message of the parent process with the memory that this process needs. */
export function reportMemoryToParent(): void {
  const report = async (): Promise<void> => {
    for (let index = 0; index < collections; index += 1) {
      global.gc?.();
      await sleep(pauseMs);
    }
    const { rss, heapUsed } = process.memoryUsage();
    process.send?.({ memory: { residentBytes: rss, heapBytes: heapUsed } } satisfies ServerReply);
  };
  process.on('message', () => void report());
}
