import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of this process' heap that are still reachable. */
export function collectedHeap(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
