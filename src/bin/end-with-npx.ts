import process from 'node:process';

/** How often a program looks whether npx still runs, in milliseconds. */
const intervalMs = 500;

/**
 * Ends the program like SIGTERM once the shell is gone in which npx has started it: npx passes a signal on to that shell alone, which
 * leaves the program behind, on its port. Without npx this does nothing.
 */
export function endWithNpx(): void {
  if (process.env['npm_lifecycle_event'] !== 'npx') return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, intervalMs);
  timer.unref();
}
