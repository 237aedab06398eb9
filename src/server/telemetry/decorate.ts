/**
 * What runs around calls of a port's methods. `call` makes the call with the arguments that the caller passed, so that
 * none can be forgotten; the arguments follow it for reading. A method without an entry is called as it is.
 */
export type Around<Port> = {
  readonly [Name in keyof Port]?: Port[Name] extends (...args: infer Args) => infer Result
    ? (call: () => Result, ...args: Args) => Result
    : never;
};

/** The port with `around` run around its methods. Every method and every argument of the port is forwarded. */
export function decorate<Port extends object>(port: Port, around: Around<Port>): Port {
  return new Proxy(port, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      const wrapper: unknown = Reflect.get(around, name);
      return (...args: readonly unknown[]): unknown => {
        const call = (): unknown => Reflect.apply(method, target, args);
        return typeof wrapper === 'function' ? Reflect.apply(wrapper, around, [call, ...args]) : call();
      };
    },
  });
}
