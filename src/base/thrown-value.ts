// JavaScript may throw any value, and each member of it may be of any type, or throw when it is read. Whoever needs a text, a
// code or the class of a thrown value gets it from `toError`, and nowhere else.

/** An error whose members can be read: its texts are texts, and its code is not an object. */
interface ReadableError extends Error {
  readonly code?: string | number | null | undefined;
  readonly status?: unknown;
}

/** Whether a value is an Error whose members can be read. Never throws. */
export function isReadableError(thrown: unknown): thrown is ReadableError {
  return (
    attempt(() => {
      if (!(thrown instanceof Error)) return false;
      const members = ['name', 'message', 'stack', 'code', 'cause', 'status', 'errors'];
      const [name, message, stack, code, , , errors] = members.map((member): unknown => Reflect.get(thrown, member));
      return (
        typeof name === 'string' &&
        typeof message === 'string' &&
        ['string', 'undefined'].includes(typeof stack) &&
        (code === null || ['string', 'number', 'undefined'].includes(typeof code)) &&
        (Array.isArray(errors) || !(thrown instanceof AggregateError))
      );
    }) === true
  );
}

/**
 * Makes an Error of any thrown value, whose name, message and stack are texts and whose members can be read: the value itself
 * where it is such an Error, else a new one with what can be read of it. Never throws.
 */
export function toError(thrown: unknown): ReadableError {
  if (isReadableError(thrown)) return thrown;
  const type = thrown === null ? 'null' : typeof thrown;
  const ownName = attempt(() => thrown instanceof Error) === true ? readMember(thrown, 'name') : type;
  const name = typeof ownName === 'string' ? ownName : 'Error';
  const stack = readMember(thrown, 'stack');
  const error = new Error(textOf(type === 'object' ? readMember(thrown, 'message') : thrown) || name);
  error.name = name;
  if (typeof stack === 'string') error.stack = stack;
  else delete error.stack;
  return Object.assign(error, { status: readMember(thrown, 'status') });
}

/** A member of any value; undefined where there is none, or where it cannot be read. Never throws. */
export function readMember(value: unknown, name: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? attempt((): unknown => Reflect.get(value, name)) : undefined;
}

/**
 * Calls a function of the application whose failure must not change what the caller does. A rejected promise that it returns
 * is handled too. Never throws.
 */
export function callSafely(call: () => unknown, onError: (error: Error) => void = () => undefined): void {
  new Promise((resolve) => resolve(call())).catch((thrown: unknown) => onError(toError(thrown)));
}

function textOf(value: unknown): string {
  switch (typeof value) {
    case 'object':
      return value === null ? '' : (attempt(() => JSON.stringify(value)) ?? '');
    case 'undefined':
    case 'function':
      return '';
    default:
      return String(value);
  }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
