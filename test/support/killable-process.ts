/** Simulates a process that can be killed between any two of its steps: the promises that it awaits then never settle. */
export interface KillableProcess {
  /** The same object. Once the process is killed, its methods do nothing and their promises never settle. */
  readonly bind: <T extends object>(target: T) => T;
  readonly kill: () => void;
}

const never = new Promise<never>(() => undefined);

export function createKillableProcess(): KillableProcess {
  let isAlive = true;

  /** Timers and listeners of a killed process are not called. */
  const guard = (value: unknown): unknown => {
    if (typeof value !== 'function') return value;
    return (...args: unknown[]): unknown => (isAlive ? Reflect.apply(value, undefined, args) : undefined);
  };
  const settleWhileAlive = async (promise: Promise<unknown>): Promise<unknown> => {
    try {
      const value = await promise;
      return isAlive ? value : await never;
    } catch (error) {
      if (!isAlive) await never;
      throw error;
    }
  };

  return {
    bind: (target) =>
      new Proxy(target, {
        get(object, name): unknown {
          const member: unknown = Reflect.get(object, name, object);
          if (typeof member !== 'function') return member;
          return (...args: unknown[]): unknown => {
            if (!isAlive) return never;
            const result: unknown = Reflect.apply(member, object, args.map(guard));
            return result instanceof Promise ? settleWhileAlive(result) : result;
          };
        },
      }),
    kill() {
      isAlive = false;
    },
  };
}
