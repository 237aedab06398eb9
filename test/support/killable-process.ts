/** Simulates a process that can be killed between any two of its steps: the promises that it awaits then never settle. */
export interface KillableProcess {
  /** Returns a proxy of an object. Once the process is killed, the proxy's methods do nothing and their promises never settle. */
  readonly bind: <T extends object>(target: T) => T;
  readonly kill: () => void;
}

const neverSettles = new Promise<never>(() => undefined);

export function createKillableProcess(): KillableProcess {
  let isAlive = true;

  /** Wraps a timer's task or a listener, which is not called once the process is killed. */
  const guardCallback = (value: unknown): unknown => {
    if (typeof value !== 'function') return value;
    return (...args: unknown[]): unknown => (isAlive ? Reflect.apply(value, undefined, args) : undefined);
  };
  const settleWhileAlive = async (promise: Promise<unknown>): Promise<unknown> => {
    try {
      const value = await promise;
      return isAlive ? value : await neverSettles;
    } catch (error) {
      if (!isAlive) await neverSettles;
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
            if (!isAlive) return neverSettles;
            const result: unknown = Reflect.apply(member, object, args.map(guardCallback));
            return result instanceof Promise ? settleWhileAlive(result) : result;
          };
        },
      }),
    kill() {
      isAlive = false;
    },
  };
}
