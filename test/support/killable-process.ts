/** A process that can be killed between any two of its steps: what it awaits then never comes. */
export interface KillableProcess {
  /** The same object, whose methods do nothing and answer nothing once the process is dead. */
  readonly bind: <T extends object>(target: T) => T;
  readonly kill: () => void;
}

const never = new Promise<never>(() => undefined);

export function createKillableProcess(): KillableProcess {
  let isAlive = true;

  /** Timers and listeners of a dead process are not called. */
  const guard = (value: unknown): unknown => {
    if (typeof value !== 'function') return value;
    return (...args: unknown[]): unknown => (isAlive ? Reflect.apply(value, undefined, args) : undefined);
  };
  const outlive = async (promise: Promise<unknown>): Promise<unknown> => {
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
            return result instanceof Promise ? outlive(result) : result;
          };
        },
      }),
    kill() {
      isAlive = false;
    },
  };
}
