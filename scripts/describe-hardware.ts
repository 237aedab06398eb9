// Describes the machine, for the results of benches.
import os from 'node:os';

/** "2 cores (name), 24 GB". */
export function hardware(): string {
  const gigabytes = Math.round(os.totalmem() / 2 ** 30);
  return `${os.cpus().length} cores (${os.cpus()[0]?.model ?? 'unknown'}), ${gigabytes} GB`;
}

/** The load averages of the last 1, 5 and 15 minutes. */
export function loadAverages(): string {
  return os
    .loadavg()
    .map((load) => load.toFixed(1))
    .join(', ');
}
