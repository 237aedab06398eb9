/** The members of a payment method by which an order may name it. */
interface Method {
  readonly id: string;
  readonly type: string;
}

/** The place of a method in the list of ids and types of an order; -1: the order may not be paid with it. */
function placeOf({ id, type }: Method, methods: readonly string[]): number {
  return methods.findIndex((name) => name === id || name.toLowerCase() === type.toLowerCase());
}

/** Whether an order may be paid with a method. */
export function isMethodAllowed(method: Method, methods: readonly string[] | null): boolean {
  return methods === null || placeOf(method, methods) !== -1;
}

/** The methods that an order may be paid with, in the order in which it names them. */
export function withMethods<T extends Method>(options: readonly T[], methods: readonly string[] | null): readonly T[] {
  if (methods === null) return options;
  return options
    .filter((option) => isMethodAllowed(option, methods))
    .toSorted((left, right) => placeOf(left, methods) - placeOf(right, methods));
}
