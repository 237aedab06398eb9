import { totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';
import { getHeapStatistics } from 'node:v8';
import { defaultLimits } from '../server-internals.ts';

/** What the connection of a waiting payer takes, in bytes: 14 kB of the heap, and 12 kB beside it, were measured. */
const connectionBytes = { heap: 14_000, memory: 28_000 } as const;

/**
 * How many connections of payers fit into half of the heap and into half of the memory, both in bytes; at most as many as the
 * checkout server holds long polls. Too many would end the process for want of memory, where a refused one costs a read. The
 * memory counts for itself, because Node lets its heap grow to more than all of a small container's.
 */
export function connectionsWithin(heapBytes: number, memoryBytes: number): number {
  const count = Math.floor(Math.min(heapBytes / connectionBytes.heap, memoryBytes / connectionBytes.memory) / 2);
  return Math.min(count, defaultLimits.waiters);
}

/** How many connections of payers this process has room for, by its heap and by the memory of the container or of the machine. */
export function connectionsOfProcess(): number {
  const memory = [totalmem(), constrainedMemory()].filter((bytes) => bytes > 0);
  return connectionsWithin(getHeapStatistics().heap_size_limit, Math.min(...memory));
}
