// Describes the machine, for the results of benches.
import { createHash } from 'node:crypto';
import os from 'node:os';
import process from 'node:process';

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

/**
 * The machine's own speed: how long a loop of fixed work takes, in milliseconds of processor time and by the clock. More by the clock
 * than of processor time means that other programs use the machine too.
 */
export function calibrate(): { readonly cpuMs: number; readonly wallMs: number } {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  let digest: Uint8Array = Buffer.alloc(32);
  for (let round = 0; round < 300_000; round += 1) digest = createHash('sha256').update(digest).digest();
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() - startedAt };
}
