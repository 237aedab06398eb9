// Loaded into a process with `--import`: its parent sets the wall clock by sending a number of milliseconds. Timers and
// `performance.now()` go on as they are, as they do when a machine's clock is set.
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
