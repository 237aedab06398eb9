/** A view of an object that records which of its members are read. */
export function recordReads<T extends object>(
  target: T,
): { readonly recorded: T; readonly read: ReadonlySet<string | symbol> } {
  const read = new Set<string | symbol>();
  const recorded = new Proxy(target, {
    get(object, name, receiver): unknown {
      read.add(name);
      return Reflect.get(object, name, receiver);
    },
  });
  return { recorded, read };
}
