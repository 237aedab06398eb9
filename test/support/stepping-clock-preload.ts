// Loaded into a process with `--import`: its parent process sets the wall clock by sending a number of milliseconds. Timers and
// `performance.now()` are not affected, as when the clock of a real machine is set.
const RealDate = Date;
let stepMs = 0;

class SteppedDate extends RealDate {
  constructor(...args: readonly unknown[]) {
    super(...((args.length === 0 ? [SteppedDate.now()] : args) as ConstructorParameters<typeof RealDate>));
  }

  static override now(): number {
    return RealDate.now() + stepMs;
  }
}

globalThis.Date = SteppedDate as DateConstructor;
process.on('message', (ms) => {
  if (typeof ms === 'number') stepMs += ms;
});
process.channel?.unref();
