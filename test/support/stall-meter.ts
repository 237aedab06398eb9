// Tests that run real processes compare durations with limits. Time in which this process itself did not run, because the
// machine was busy or the process was suspended, says nothing about the processes under test.

const tickMs = 50;
/** Timers of a busy process are late by less than this. */
const usualLatenessMs = 100;

let stalledMs = 0;
let lastTick = performance.now();
setInterval(() => {
  stalledMs += lateness();
  lastTick = performance.now();
}, tickMs).unref();

function lateness(): number {
  const late = performance.now() - lastTick - tickMs;
  return late > usualLatenessMs ? late : 0;
}

/** A monotonic time in milliseconds, which does not advance while this process does not run. */
export function runningTime(): number {
  return performance.now() - stalledMs - lateness();
}
