/** Simulates a process that can be killed between any two of its steps: the promises that it awaits then never settle. */
export interface KillableProcess {
  /** Returns a proxy of an object. Once the process is killed, the proxy's methods do nothing and their promises never settle. */
  readonly bind: <T extends object>(target: T) => T;
  readonly kill: () => void;
}

const neverSettles = new Promise<never>(() => undefined);

/** @param onStep called with the name of each method before its call, and again when its promise has settled; it may kill the process */
export function createKillableProcess(onStep: (name: string) => void = () => undefined): KillableProcess {
  let isAlive = true;

  /** Wraps a timer's task or a listener, which is not called once the process is killed. */
  const guardCallback = (value: unknown): unknown => {
    if (typeof value !== 'function') return value;
    return (...args: unknown[]): unknown => (isAlive ? Reflect.apply(value, undefined, args) : undefined);
  };
  const isRunning = (): boolean => isAlive;
  const settleWhileAlive = async (name: string, promise: Promise<unknown>): Promise<unknown> => {
    const [result] = await Promise.allSettled([promise]);
    if (isAlive) onStep(name);
    if (!isRunning()) return neverSettles;
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  };

  return {
    bind: (target) =>
      new Proxy(target, {
        get(object, name): unknown {
          const member: unknown = Reflect.get(object, name, object);
          if (typeof member !== 'function') return member;
          return (...args: unknown[]): unknown => {
            if (isAlive) onStep(String(name));
            if (!isRunning()) return neverSettles;
            const result: unknown = Reflect.apply(member, object, args.map(guardCallback));
            return result instanceof Promise ? settleWhileAlive(String(name), result) : result;
          };
        },
      }),
    kill() {
      isAlive = false;
    },
  };
}
