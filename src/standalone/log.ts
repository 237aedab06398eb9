import type { Log, LogLevel } from '../server.ts';

const levels: readonly LogLevel[] = ['info', 'warn', 'error'];

/** A log on standard error: one line of JSON for each event of the given level or above. */
export function createLog(lowest: LogLevel): Log {
  return (level, event, facts) => {
    if (levels.indexOf(level) < levels.indexOf(lowest)) return;
    process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...facts })}\n`);
  };
}
