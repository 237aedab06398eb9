import type { Log, LogLevel } from '../server.ts';

const levels: readonly LogLevel[] = ['info', 'warn', 'error'];

/** Creates a log on standard error: one line of JSON for each event of `lowestLevel` or above. */
export function createLog(lowestLevel: LogLevel): Log {
  return (level, event, facts) => {
    if (levels.indexOf(level) < levels.indexOf(lowestLevel)) return;
    process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...facts })}\n`);
  };
}
