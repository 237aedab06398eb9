/** A Proxy each of whose traps throws, also that of `instanceof`. */
export function throwingProxy(target: object = {}): object {
  const fail = (): never => {
    throw new Error('trap');
  };
  const traps = ['get', 'has', 'getPrototypeOf', 'ownKeys', 'getOwnPropertyDescriptor', 'set', 'defineProperty'];
  return new Proxy(target, Object.fromEntries(traps.map((name) => [name, fail])));
}
