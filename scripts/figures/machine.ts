import os from 'node:os';

/** Where and when a figure was measured. */
export interface Machine {
  readonly date: string;
  readonly machine: string;
  readonly load: string;
}

export function machineOf(): Machine {
  const gigabytes = Math.round(os.totalmem() / 2 ** 30);
  const processor = os.cpus()[0]?.model ?? 'an unknown processor';
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${os.cpus().length} cores (${processor}), ${gigabytes} GB, Node ${process.version}`,
    load: os
      .loadavg()
      .map((load) => load.toFixed(1))
      .join(', '),
  };
}
